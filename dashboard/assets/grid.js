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
      lines.push(make("span", "range", range, { key: "range" }));
    }
    return make("span", "estimate", lines, note ? { title: note } : {});
  };

  renderers.Signal = function (props) {
    return make("span", "signal", [
      make("span", "pool", props.data.pool, { key: "pool" }),
      make("span", "is-code", props.data.name, { key: "name" }),
    ]);
  };

  /* Policy texts have no spaces: let them break after their punctuation. */
  renderers.Breakable = function (props) {
    return make("span", "", String(props.value).replace(/([:,=])/g, "$1\u200b"));
  };

  renderers.Chip = function (props) {
    var kind = String(props.value).replace(/_/g, "-");
    return make("span", "chip chip-" + kind, props.data[props.colDef.field + "_text"]);
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
