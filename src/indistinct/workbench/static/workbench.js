// What a form cannot do: filtering rows, ticking all, taking a file that is dropped.
"use strict";

document.addEventListener("input", (event) => {
  if (event.target.id === "k") document.getElementById("k-shown").value = event.target.value;
  if (event.target.id !== "filter") return;
  const wanted = event.target.value.trim().toLowerCase();
  for (const row of document.querySelectorAll("tr[data-name]"))
    row.hidden = !row.dataset.name.includes(wanted);
});

document.addEventListener("change", (event) => {
  if (event.target.id === "all") {
    for (const row of document.querySelectorAll("tr[data-name]"))
      if (!row.hidden) row.querySelector("input[name=pick]").checked = event.target.checked;
  }
  if (event.target.id === "brought" && event.target.files.length) bring(event.target.files[0]);
});

document.addEventListener("selectionchange", () => {
  const letter = document.getElementById("letter"), chosen = document.getSelection();
  if (!letter || !chosen.rangeCount || chosen.isCollapsed || !letter.contains(chosen.anchorNode)) return;
  const words = chosen.getRangeAt(0).cloneContents();
  for (const number of words.querySelectorAll("sup")) number.remove();
  document.getElementById("words").value = words.textContent.trim().slice(0, 200);
});

const place = document.getElementById("bring");
if (place) {
  place.addEventListener("dragover", (event) => { event.preventDefault(); place.classList.add("over"); });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    if (event.dataTransfer.files.length) bring(event.dataTransfer.files[0]);
  });
}

async function bring(file) {
  const said = document.getElementById("bringing");
  said.className = "";
  said.textContent = `${file.name} …`;
  try {
    const answer = await fetch(place.dataset.to, {
      method: "POST", body: file, headers: { "X-Name": encodeURIComponent(file.name) },
    });
    const text = await answer.text();
    if (answer.ok) { location.assign(place.dataset.then); return; }
    said.textContent = text;
  } catch {
    said.textContent = place.dataset.failed;
  }
  said.className = "said bad";
}
