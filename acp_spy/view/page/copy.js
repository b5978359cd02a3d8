// To the clipboard, and a word about it. Where there is no clipboard, the text is shown to be copied.
acpSpy.copy = (() => {
  const { get, make } = acpSpy.dom;
  const SHOWN = 2200; // milliseconds
  let ending = 0;

  async function copy(text, name) {
    if ((await byClipboard(text)) || bySelection(text)) say(`Copied ${name}`);
    else window.prompt(`Copy ${name}`, text);
  }

  async function byClipboard(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch (_) {
      return false; // no permission, or not there: a page from disk may have none
    }
  }

  function bySelection(text) {
    const before = document.activeElement;
    const area = make("textarea.offstage", { value: text, readOnly: true });
    document.body.append(area);
    area.select();
    try {
      return document.execCommand("copy");
    } finally {
      area.remove();
      if (before) before.focus();
    }
  }

  function say(words) {
    const toast = get("toast");
    toast.textContent = acpSpy.inert.line(words);
    toast.classList.add("shown");
    clearTimeout(ending);
    ending = setTimeout(() => toast.classList.remove("shown"), SHOWN);
  }

  return { copy, say };
})();
