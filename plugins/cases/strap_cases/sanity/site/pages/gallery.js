let number = 1;
function show() {
  document.querySelector("#picture").textContent = `Picture ${number} of 3`;
}
document.querySelector("#next").addEventListener("click", () => {
  number += 1;
  {{show}}();
});
