(() => {
  const { figures, config, dark: darkOf } = JSON.parse(document.getElementById("figures").textContent);
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const color = /#[0-9a-f]{6}/g;

  // Figures are written in light colours; every one of them has a dark twin.
  const recolored = (value) => {
    if (typeof value === "string") return value.replace(color, (hex) => darkOf[hex] || hex);
    if (Array.isArray(value)) return value.map(recolored);
    if (value && typeof value === "object") {
      if (value.bdata) return value;
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, recolored(part)]));
    }
    return value;
  };

  const draw = (name, isDark) => {
    const figure = JSON.parse(JSON.stringify(figures[name]));
    const shown = isDark ? recolored(figure) : figure;
    return Plotly.react(document.getElementById("plot-" + name), shown.data, shown.layout, config);
  };

  // One figure per turn, so that the page answers while they appear.
  let round = 0;
  const drawAll = (isDark) => {
    const mine = ++round;
    const waiting = Object.keys(figures);
    const next = () => {
      if (mine !== round) return;
      const name = waiting.shift();
      if (name === undefined) {
        document.documentElement.dataset.drawn = isDark ? "dark" : "light";
        return;
      }
      draw(name, isDark).then(() => setTimeout(next, 0));
    };
    next();
  };

  drawAll(prefersDark.matches);
  prefersDark.addEventListener("change", (event) => drawAll(event.matches));
  window.addEventListener("beforeprint", () => Object.keys(figures).forEach((name) => draw(name, false)));
  window.addEventListener("afterprint", () => drawAll(prefersDark.matches));
})();
