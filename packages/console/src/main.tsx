import "@fontsource-variable/inter/wght.css";
import "@mantine/core/styles/default-css-variables.layer.css";
import "@mantine/core/styles/baseline.layer.css";
import "@mantine/core/styles/global.layer.css";
import "@mantine/notifications/styles.layer.css";
import "./app/app.css";
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { returnFocusFromDialogs } from "./app/focus-return.ts";
import { LoadingBar } from "./app/loading-bar.tsx";
import { router } from "./app/router.tsx";
import { queryClient } from "./app/session.ts";
import { cssVariables, theme } from "./app/theme.ts";

// The key is also in public/start.js.
const colorSchemeManager = localStorageColorSchemeManager({ key: "dbdepot-color-scheme" });

returnFocusFromDialogs();

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
    >
      <Notifications position="bottom-right" />
      <LoadingBar />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
