/* Callbacks of the shell that need no server. */
(function () {
  "use strict";
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
