/**
 * Runs in the browser. Returns what is wrong with the layout of the page: buttons and links that something else covers,
 * text that is cut off without a title, and a page that is wider than its window. If a dialog is open, only that is checked.
 */
(() => {
  const problems = [];
  const root = [...document.querySelectorAll("[role=dialog], [role=menu]")].at(-1) ?? document.body;
  const describe = (element) => {
    const text = element.getAttribute("aria-label") ?? element.textContent ?? "";
    return `${element.tagName.toLowerCase()} "${text.trim().slice(0, 60)}"`;
  };
  // Clipped elements are for screen readers, and those without a size are not rendered.
  const isVisible = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    const { width, height } = element.getBoundingClientRect();
    if (width < 2 || height < 2) return false;
    for (let each = element; each; each = each.parentElement) {
      const { clipPath, clip, position } = getComputedStyle(each);
      if (clipPath.startsWith("inset(50%") || (position === "absolute" && clip.startsWith("rect(0"))) return false;
    }
    return true;
  };
  for (const element of root.querySelectorAll("a[href], button, [role=button]")) {
    if (!isVisible(element) || element.matches(".skip-link, [tabindex='-1']")) continue;
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    // A link of several lines has its centre between them, or beside a short last line.
    const [box = element.getBoundingClientRect()] = element.getClientRects();
    const x = box.left + box.width / 2;
    const y = box.top + box.height / 2;
    const topmost = document.elementFromPoint(x, y);
    if (!topmost || !(element.contains(topmost) || topmost.contains(element))) {
      problems.push(
        `${describe(element)} is covered by ${topmost ? describe(topmost) : "nothing: outside of the window"}`,
      );
    } else if (topmost !== element && topmost.contains(element) && getComputedStyle(element).pointerEvents !== "none") {
      problems.push(`${describe(element)} is below ${describe(topmost)}`);
    }
  }
  for (const element of root.querySelectorAll("*")) {
    const { overflowX, textOverflow, webkitLineClamp } = getComputedStyle(element);
    const isCut =
      ((overflowX === "hidden" || overflowX === "clip") && element.scrollWidth > element.clientWidth + 1) ||
      (webkitLineClamp !== "none" && element.scrollHeight > element.clientHeight + 1);
    if (!isCut || !isVisible(element) || !element.textContent?.trim()) continue;
    const isText = textOverflow === "ellipsis" || webkitLineClamp !== "none" || element.children.length === 0;
    const hasTitle = element.closest("[title]") ?? element.querySelector("[title]");
    if (isText && !hasTitle) problems.push(`${describe(element)} is cut off without a title`);
    if (!isText && element.matches("td, th, section, .mantine-Paper-root"))
      problems.push(`${describe(element)} overflows`);
  }
  // A cell whose content is wider than itself covers its neighbour.
  for (const cell of root.querySelectorAll("td, th")) {
    if (isVisible(cell) && cell.scrollWidth > cell.clientWidth + 1)
      problems.push(`${describe(cell)} overflows its cell`);
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) problems.push(`the page is ${scrollWidth} pixels wide in a window of ${clientWidth}`);
  scrollTo(0, 0);
  return problems;
})();
