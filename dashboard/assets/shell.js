/* Callbacks of the shell that need no server. */
(function () {
  "use strict";
  /* A finger on a chart scrolls the page: plotly would take every touch as the start of a zoom, and a
     phone could not get past a tall chart. Taps still reach it as mouse events. */
  document.addEventListener(
    "touchstart",
    function (event) {
      if (event.target.closest && event.target.closest(".graph")) {
        event.stopPropagation();
      }
    },
    { capture: true, passive: true }
  );

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    shell: {
      /* The theme in use; a click exchanges it. */
      theme: function (clicks, stored) {
        var root = document.documentElement;
        if (clicks) {
          root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
        }
        return root.dataset.theme || stored || "light";
      },

      /* Notices belong to what was on screen before; the window's title to what comes now. */
      enterPage: function (path, service, titles) {
        var title = titles[path] || "No such page";
        document.title = title + " · autoscale-signals";
        return [];
      },
    },
  });
})();
