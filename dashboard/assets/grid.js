/* Cell renderers and comparators of the grids; named in dashboard/components/grid.py. */
(function () {
  "use strict";

  var renderers = (window.dashAgGridComponentFunctions = window.dashAgGridComponentFunctions || {});
  var functions = (window.dashAgGridFunctions = window.dashAgGridFunctions || {});

  function make(tag, className, children, extra) {
    return React.createElement(tag, Object.assign({ className: className }, extra || {}), children);
  }

  renderers.Estimate = function (props) {
    var field = props.colDef.field;
    var data = props.data;
    var text = data[field + "_text"];
    var range = data[field + "_range"];
    var note = data[field + "_note"];
    var weak = data[field] === null || data[field] === undefined;
    var lines = [make("span", weak ? "value is-weak" : "value", text, { key: "value" })];
    if (range) {
      /* Where the range takes two lines, the unit stays with its number. */
      lines.push(make("span", "range", range.replace(/ (?=\S+$)/, "\u00a0"), { key: "range" }));
    }
    return make("span", "estimate", lines, note ? { title: note } : {});
  };

  function chip(kind, word, extra) {
    return make("span", "chip chip-" + String(kind).replace(/_/g, "-"), word, extra);
  }

  /* On phones the verdict has no column of its own and stands here; the style sheet shows it there only. */
  renderers.Signal = function (props) {
    fitSoon(props.api);
    return make("span", "signal", [
      make("span", "pool", props.data.pool, { key: "pool" }),
      make("span", "is-code", props.data.name, { key: "name" }),
      make("span", "phone-only", chip(props.data.verdict, props.data.verdict_text), { key: "verdict" }),
    ]);
  };

  /* Policy texts have no spaces: let them break after their punctuation. */
  renderers.Breakable = function (props) {
    fitSoon(props.api);
    return make("span", "", String(props.value).replace(/([:,=])/g, "$1\u200b"));
  };

  renderers.Chip = function (props) {
    return chip(props.value, props.data[props.colDef.field + "_text"]);
  };

  /* Columns as the screen's width wants them: what matters most comes first on a phone. */
  var phone = window.matchMedia("(max-width: 720px)");
  var fitted = new WeakMap();

  function onPhone(column) {
    return column.getColDef().context || {};
  }

  /* A grid can have drawn its rows before it is listened to, so its cells ask to be fitted, too. */
  function fitSoon(api) {
    if ((fitted.get(api) || false) !== phone.matches) {
      window.setTimeout(function () {
        functions.fitWidth({ api: api });
      }, 0);
    }
  }

  functions.fitWidth = function (event) {
    var api = event.api;
    if (api.isDestroyed()) {
      return;
    }
    if ((fitted.get(api) || false) === phone.matches) {
      return;
    }
    var all = api.getColumns() || [];
    var columns = all.filter(function (column) {
      return onPhone(column).phoneWidth !== undefined;
    });
    /* A grid that is still empty tells of its size, too; it is fitted when its columns have come. */
    if (!columns.length) {
      return;
    }
    fitted.set(api, phone.matches);
    var others = all.filter(function (column) {
      return columns.indexOf(column) < 0;
    });
    columns.sort(function (a, b) {
      return onPhone(a).phonePlace - onPhone(b).phonePlace;
    });
    var order = phone.matches
      ? columns.concat(others)
      : api.getColumnDefs().reduce(function (all, def) {
          return all.concat(def.children || [def]);
        }, []).map(function (def) {
          return api.getColumn(def.colId || def.field);
        });
    var state = order.map(function (column) {
      var width = phone.matches ? onPhone(column).phoneWidth : undefined;
      return {
        colId: column.getColId(),
        hide: width === 0,
        width: width || column.getColDef().width,
      };
    });
    api.applyColumnState({ state: state, applyOrder: true });
    var height = getComputedStyle(document.documentElement).getPropertyValue("--grid-row");
    api.setGridOption("rowHeight", parseInt(height, 10));
    api.resetRowHeights();
  };

  functions.compareNullsLast = function (a, b, nodeA, nodeB, descending) {
    var noA = a === null || a === undefined;
    var noB = b === null || b === undefined;
    if (noA || noB) {
      return noA && noB ? 0 : noA === descending ? -1 : 1;
    }
    return a < b ? -1 : a > b ? 1 : 0;
  };

  functions.compareByOrder = function (a, b, nodeA, nodeB) {
    var field = nodeA.data.severity_order === undefined ? "verdict_order" : "severity_order";
    return nodeA.data[field] - nodeB.data[field];
  };
})();
