// Runs before the first paint, so that the page does not flash in the wrong colours, or without its sidebar.
(() => {
  const chosen = localStorage.getItem("dbdepot-color-scheme") ?? "auto";
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const root = document.documentElement;
  root.setAttribute("data-mantine-color-scheme", chosen === "auto" ? system : chosen);
  root.toggleAttribute("data-shell", localStorage.getItem("dbdepot-shell") !== null);
})();
