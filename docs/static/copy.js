// A button copies each snippet: of a console only what is typed, without its prompt.
for (const block of document.querySelectorAll("div.highlight")) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const text = block.querySelector("pre").textContent;
    const typed = text.split("\n").filter((line) => line.startsWith("$ "));
    const shown = typed.map((line) => line.slice(2)).join("\n");
    await navigator.clipboard.writeText(shown || text);
    button.textContent = "Copied";
  });
  block.append(button);
}
