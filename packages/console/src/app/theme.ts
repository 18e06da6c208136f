import {
  type CSSVariablesResolver,
  createTheme,
  type DrawerProps,
  type MantineColorsTuple,
  type ModalProps,
  type PaperProps,
  type TableProps,
  type TooltipProps,
} from "@mantine/core";
import { brand } from "./brand.ts";

const ownAccent: MantineColorsTuple = [
  "#eef0ff",
  "#dfe2fd",
  "#bfc5f9",
  "#9da6f4",
  "#828def",
  "#5f6ce8",
  "#4653e0",
  "#3a46c8",
  "#313bab",
  "#27308c",
];

/** The server sends ten shades. */
const accent = (brand.shades as MantineColorsTuple | null) ?? ownAccent;

const gray: MantineColorsTuple = [
  "#fafafb",
  "#f4f4f6",
  "#e9eaee",
  "#dcdee4",
  "#c5c8d0",
  "#8b8f9a",
  "#5f636d",
  "#464951",
  "#2c2e34",
  "#17181c",
];

const dark: MantineColorsTuple = [
  "#e6e7eb",
  "#c2c4cd",
  "#9ea1ad",
  "#737784",
  "#30323b",
  "#26282f",
  "#1a1b20",
  "#121317",
  "#0d0e11",
  "#08090b",
];

/** Names the button with the cross for screen readers. */
const CLOSE_BUTTON = { "aria-label": "Close" };

/** Otherwise two dialogs, one over the other, would give the page two banners. */
const HEADER = { header: { role: "presentation" } };

/** One accent colour, neutral greys, and 14 px Inter. */
export const theme = createTheme({
  primaryColor: "accent",
  primaryShade: { light: 6, dark: 6 },
  colors: { accent, gray, dark },
  black: gray[9],
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, monospace",
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.25rem" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.5rem", lineHeight: "2rem" },
      h2: { fontSize: "1rem", lineHeight: "1.5rem" },
      h3: { fontSize: "0.875rem", lineHeight: "1.25rem" },
    },
  },
  defaultRadius: "md",
  radius: { sm: "6px", md: "8px", lg: "12px" },
  // 1000 pixels, below which the sidebar takes too much of the window.
  breakpoints: { md: "62.5em" },
  cursorType: "pointer",
  respectReducedMotion: true,
  // `Drawer.extend` and the like would load the components with every page.
  components: {
    Drawer: {
      defaultProps: {
        position: "right",
        padding: "lg",
        closeButtonProps: CLOSE_BUTTON,
        attributes: HEADER,
      } satisfies Partial<DrawerProps>,
    },
    Modal: {
      defaultProps: {
        centered: true,
        radius: "lg",
        padding: "lg",
        size: "lg",
        closeButtonProps: CLOSE_BUTTON,
        attributes: HEADER,
      } satisfies Partial<ModalProps>,
    },
    Paper: { defaultProps: { withBorder: true, radius: "lg" } satisfies Partial<PaperProps> },
    Table: { defaultProps: { verticalSpacing: 10, horizontalSpacing: "md" } satisfies Partial<TableProps> },
    Tooltip: { defaultProps: { openDelay: 200, withArrow: true } satisfies Partial<TooltipProps> },
  },
});

/** Mantine's grey for alerts is darker than the page in the dark theme, where surfaces are lighter. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {},
  dark: { "--mantine-color-gray-light": "var(--mantine-color-dark-6)" },
});
