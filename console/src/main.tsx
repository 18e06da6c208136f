import "@fontsource-variable/inter/wght.css";
import "@mantine/core/styles.css";
import { Anchor, Center, createTheme, MantineProvider, Stack, Text, Title } from "@mantine/core";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

const theme = createTheme({ fontFamily: "'Inter Variable', system-ui, sans-serif" });

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <Center component="main" h="100vh">
        <Stack align="center" gap="xs">
          <Title order={1}>dbdepot</Title>
          <Text>
            This server offers its API. See the <Anchor href="/docs">API reference</Anchor>.
          </Text>
        </Stack>
      </Center>
    </MantineProvider>
  </StrictMode>,
);
