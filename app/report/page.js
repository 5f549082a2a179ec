// Sorting and filtering of the table of frames, and two pictures of a frame under a slider.
(() => {
  "use strict";
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const valueOf = (cell) => {
    const value = parseFloat(cell.dataset.value ?? cell.textContent);
    return Number.isNaN(value) ? null : value;
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    const headers = [...table.tHead.rows[0].cells];
    const sort = (index) => {
      const up = headers[index].getAttribute("aria-sort") !== "ascending";
      for (const header of headers) header.setAttribute("aria-sort", "none");
      headers[index].setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows];
      const compare = (a, b) => {
        if (index === 0) return a.cells[0].textContent.localeCompare(b.cells[0].textContent) * (up ? 1 : -1);
        const x = valueOf(a.cells[index]), y = valueOf(b.cells[index]);
        if (x === null || y === null) return (x === null) - (y === null);  // without a value: last
        return up ? x - y : y - x;
      };
      table.tBodies[0].append(...rows.sort(compare));
    };
    headers.forEach((header, index) => {
      if (!header.hasAttribute("aria-sort")) header.setAttribute("aria-sort", "none");
      header.tabIndex = 0;
      header.title = "sort";
      header.addEventListener("click", () => sort(index));
      header.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(index); }
      });
    });
  }

  const cards = [...document.querySelectorAll(".card")];
  const frames = document.querySelector("table.frames");
  if (frames) {
    const main = [...frames.tHead.rows[0].cells].findIndex((cell) => cell.classList.contains("main"));
    const name = make("input", { type: "search", id: "filter-name", placeholder: "part of a name" });
    const least = make("input", { type: "number", id: "filter-least", step: "any", style: "width: 7em" });
    const shown = make("span", { id: "filter-shown", className: "quiet" });
    const filter = () => {
      let count = 0;
      for (const row of frames.tBodies[0].rows) {
        const value = main < 0 ? null : valueOf(row.cells[main]);
        const hidden = !row.cells[0].textContent.toLowerCase().includes(name.value.trim().toLowerCase()) ||
          (least.value !== "" && !(value >= parseFloat(least.value)));
        count += !hidden;
        row.hidden = hidden;
        if (!row.dataset.frame) continue;
        for (const other of document.querySelectorAll(`tr[data-frame="${row.dataset.frame}"]`)) other.hidden = hidden;
        const card = document.getElementById(row.dataset.frame);
        if (card) card.hidden = hidden;
      }
      shown.textContent = `${count} of ${frames.tBodies[0].rows.length} frames`;
    };
    const bar = make("div", { className: "filters" }, make("label", {}, "frame ", name));
    if (main >= 0) {
      const title = frames.tHead.rows[0].cells[main].textContent;
      bar.append(make("label", {}, `${title} at least `, least));
    }
    bar.append(shown);
    frames.parentElement.before(bar);
    for (const input of [name, least]) input.addEventListener("input", filter);
    filter();
  }

  // Pictures stand in <noscript>, text to a browser that has the script: hundreds of them would slow the page's opening
  // though none is seen. They become pictures with their frame.
  const load = (card) => {
    for (const text of card.querySelectorAll(".grid noscript")) {
      text.insertAdjacentHTML("beforebegin", text.textContent);
      text.remove();
    }
  };
  for (const card of cards) card.addEventListener("toggle", () => { if (card.open) load(card); });

  const open = () => {
    const card = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    if (card instanceof HTMLDetailsElement) { card.open = true; card.scrollIntoView(); }
  };
  addEventListener("hashchange", open);
  open();

  // The viewer: two pictures of a frame on each other, the second one cut at the slider.
  if (cards.length === 0) return;
  const first = make("select", { id: "first", ariaLabel: "left of the slider" });
  const second = make("select", { id: "second", ariaLabel: "right of the slider" });
  const title = make("b");
  const below = make("img", { alt: "" }), above = make("img", { alt: "" });
  const edge = make("div", { className: "edge" });
  const slider = make("input", { type: "range", id: "slider", min: 0, max: 1000, value: 500, ariaLabel: "slider" });
  const previous = make("button", { type: "button", textContent: "\u2190 previous" });
  const next = make("button", { type: "button", textContent: "next \u2192" });
  const close = make("button", { type: "button", textContent: "close" });
  const dialog = make("dialog", { id: "viewer" },
    make("div", { className: "tools" }, title, first, "|", second, previous, next, close),
    make("div", { className: "compare" }, below, above, edge), slider);
  document.body.append(dialog);
  let current = 0;
  const cut = () => {
    const share = slider.value / 10;
    above.style.clipPath = `inset(0 0 0 ${share}%)`;
    edge.style.left = `${share}%`;
  };
  const draw = () => {
    const pictures = [...cards[current].querySelectorAll(".grid img")];
    below.src = pictures[first.selectedIndex].src;
    above.src = pictures[second.selectedIndex].src;
    cut();
  };
  const show = (index, left) => {
    const visible = (i) => !cards[i].hidden;
    if (index < 0 || index >= cards.length || !visible(index)) return;
    current = index;
    load(cards[index]);
    const labels = [...cards[index].querySelectorAll(".grid figcaption")].map((label) => label.textContent);
    const kept = [first.selectedIndex, second.selectedIndex];
    first.replaceChildren(...labels.map((label) => make("option", { textContent: label })));
    second.replaceChildren(...labels.map((label) => make("option", { textContent: label })));
    first.selectedIndex = left ?? (kept[0] >= 0 ? kept[0] : 0);
    second.selectedIndex = kept[1] >= 0 ? kept[1] : Math.min(1, labels.length - 1);
    if (left !== undefined && first.selectedIndex === second.selectedIndex) {
      second.selectedIndex = (left + 1) % labels.length;
    }
    title.textContent = cards[index].querySelector("b").textContent;
    draw();
    if (!dialog.open) dialog.showModal();
  };
  const step = (by) => {
    for (let i = current + by; i >= 0 && i < cards.length; i += by) {
      if (!cards[i].hidden) return show(i);
    }
  };
  cards.forEach((card, index) => {
    [...card.querySelectorAll(".grid figure")].forEach((figure, which) => {
      figure.style.cursor = "zoom-in";
      figure.addEventListener("click", (event) => { event.preventDefault(); show(index, which); });
    });
  });
  slider.addEventListener("input", cut);
  for (const select of [first, second]) select.addEventListener("change", draw);
  previous.addEventListener("click", () => step(-1));
  next.addEventListener("click", () => step(1));
  close.addEventListener("click", () => dialog.close());
})();
