// Runs before the first paint, so that the page does not flash in the wrong colours.
(() => {
  const chosen = localStorage.getItem("dbdepot-color-scheme") ?? "auto";
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.setAttribute("data-mantine-color-scheme", chosen === "auto" ? system : chosen);
})();
