"use strict";
// The pages work without this. It adds single keys, and says who has an item before their eyes.
(() => {
  const root = document.documentElement;
  const dialog = document.getElementById("keys");
  const find = (selector) => document.querySelector(selector);
  const remembered = "arbiter-keys";
  let sending = false;

  root.classList.add("js");
  for (const element of document.querySelectorAll("[data-js], [data-opens]")) element.hidden = false;

  // Single keys can be turned off: they get in the way of speech input and of some keyboards.
  const toggle = find("[data-keys-on]");
  const kept = (value) => {
    try {
      if (value !== undefined) localStorage.setItem(remembered, value);
      return localStorage.getItem(remembered) !== "off";
    } catch {
      return toggle.checked;
    }
  };
  const showKeys = () => root.classList.toggle("quiet-keys", !toggle.checked);
  toggle.checked = kept();
  showKeys();
  toggle.addEventListener("change", () => {
    kept(toggle.checked ? "on" : "off");
    showKeys();
  });

  // There is room for the filters beside the list, except on a phone.
  const filters = find("details.narrow");
  if (filters && matchMedia("(min-width: 46.01rem)").matches) filters.open = true;

  const isField = (element) => element.matches("input:not([type=checkbox]), textarea, select");
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const holder = (key) =>
    [...document.querySelectorAll("[data-key]")].find(
      (element) => element.dataset.key === key && !element.matches(":disabled") && (isShown(element) || element.closest("details"))
    );

  const use = (element) => {
    for (let box = element.closest("details:not([open])"); box; box = box.parentElement.closest("details:not([open])")) box.open = true;
    if (element.matches("summary")) {
      const first = element.parentElement.querySelector("[data-first]");
      first.focus();
      if (first.matches("textarea")) first.setSelectionRange(first.value.length, first.value.length);
    } else if (isField(element)) {
      element.focus();
    } else {
      element.click();
    }
  };

  const rows = [...document.querySelectorAll("[data-row]")];
  const walk = (step) => {
    const at = rows.indexOf(document.activeElement);
    const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + step, 0), rows.length - 1);
    rows[next]?.focus();
  };

  const leave = (field) => {
    const box = field.closest("details.tool");
    if (box) {
      box.open = false;
      box.querySelector("summary").focus();
    } else {
      field.blur();
    }
  };

  document.addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.isComposing || event.repeat || sending || root.dataset.ready === undefined) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && target.matches("textarea")) {
      event.preventDefault();
      const form = target.form;
      // The first button of this form rules something; a reason alone does not say what.
      if (form.id !== "rule") form.requestSubmit();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (event.key === "Escape" && isField(target)) return leave(target);
    if (isField(target) || target.isContentEditable) return;
    if (!toggle.checked && event.key !== "?") return;
    const key = event.key.toLowerCase();
    const element = holder(key);
    if (element) {
      event.preventDefault();
      use(element);
    } else if (rows.length && (key === "j" || key === "k")) {
      event.preventDefault();
      walk(key === "j" ? 1 : -1);
    }
  });

  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-opens]");
    if (opener) {
      dialog.showModal();
      dialog.querySelector("button").focus();
    }
    const filler = event.target.closest("[data-fill]");
    if (filler) {
      const text = document.getElementById(filler.dataset.fill);
      text.value = filler.dataset.text;
      text.focus();
    }
  });

  document.addEventListener("submit", (event) => {
    if (event.target.method === "dialog") return;
    if (sending) event.preventDefault();
    sending = true;
  });
  window.addEventListener("pageshow", () => {
    sending = false;
  });

  for (const form of document.querySelectorAll("form[data-at-once]")) {
    form.addEventListener("change", () => {
      if (!sending) form.requestSubmit();
    });
  }

  // Where nothing waits, look again from time to time, as the page says.
  if (find("[data-again]")) {
    setInterval(() => {
      if (document.visibilityState === "visible" && !dialog.open && !isField(document.activeElement)) location.reload();
    }, 60_000);
  }

  // While an item is open here, nobody else should rule on it unknowingly.
  const looked = find("[data-looking]");
  if (looked) {
    const own = looked.dataset.left.split("/left")[0];
    let held = false;
    let staying = false;
    document.addEventListener("submit", (event) => {
      staying = new URL(event.target.action).pathname.startsWith(own);
    });
    const hold = async () => {
      if (sending || document.visibilityState !== "visible") return;
      try {
        const answer = await fetch(looked.dataset.looking, { method: "POST", headers: { Accept: "application/json" } });
        if (answer.status === 409 && !sending) return void location.reload();
        if (!answer.ok) return;
        const { until } = await answer.json();
        held = true;
        find("[data-hand]").textContent = `In your hands until ${until}.`;
        find("[data-take]").hidden = true;
        find("[data-let-go]").hidden = false;
      } catch {
        // Not reached: the page goes on without, and ruling tells whether somebody else was at it.
      }
    };
    hold();
    setInterval(hold, 120_000);
    window.addEventListener("pagehide", () => {
      if (held && !staying) navigator.sendBeacon(looked.dataset.left);
    });
  }

  // What is not on the screen yet cannot have been meant by a key.
  requestAnimationFrame(() => requestAnimationFrame(() => (root.dataset.ready = "")));
})();
