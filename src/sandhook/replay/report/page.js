"use strict";
(async () => {
  const PAGE = 50;
  const byId = (id) => document.getElementById(id);
  // Every text is set as textContent: no payload becomes an element.
  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const block = async (id) => {
    const node = byId(id);
    if (!node) return null;
    const bytes = Uint8Array.from(atob(node.textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };
  const titles = {
    newly_refused: "newly refused", newly_allowed: "newly allowed", changed: "changed",
    could_not_run: "could not run now", slower: "slower",
  };
  const summary = await block("summary");
  const result = summary.result;
  const number = (value) => Number(value).toLocaleString("en");
  byId("at-a-glance").textContent =
    `${number(result.selected)} of ${number(result.events)} events fired, ${number(result.compared)} compared. ` +
    `Refused: ${number(result.refused.old)} before, ${number(result.refused.new)} now.`;
  byId("broken").textContent = summary.broken.length ? `Broken: ${summary.broken.join(", ")}` : "";
  for (const change of summary.changes) {
    const card = element("button", undefined, `card ${change}`);
    card.type = "button";
    card.append(element("b", number(change === "slower" ? result.measured.slower : result.changes[change])));
    card.append(titles[change]);
    card.addEventListener("click", () => { byId("change").value = change; refresh(); byId("filter").scrollIntoView(); });
    byId("cards").append(card);
    const option = element("option", titles[change]);
    option.value = change;
    byId("change").append(option);
  }
  const groups = byId("groups").tBodies[0];
  for (const group of summary.groups.slice(0, 200)) {
    const row = element("tr");
    for (const text of [titles[group.change], group.hook, group.tool, group.shape]) {
      const cell = element("td", text);
      cell.title = text;
      row.append(cell);
    }
    row.append(element("td", number(group.events), "count"));
    groups.append(row);
  }
  const losses = [
    ...Object.entries(result.unfired).map(([reason, count]) => `${count} events were not fired: ${reason}`),
    ...result.skipped.map((each) => `skipped: ${each.file} ${each.line ? `line ${each.line}, ` : ""}${each.unit} ${each.place}: ${each.reason}`),
    ...result.failed.map((each) => `failed: ${each.file} ${each.start} to ${each.end}: ${each.reason}\n  ${each.events.join(" ")}`),
  ];
  if (losses.length) {
    byId("losses").textContent = losses.join("\n");
    byId("losses").hidden = byId("losses-title").hidden = false;
  }

  const rows = [];
  for (let at = 0; rows.length < summary.rows; at += 1) rows.push(...await block(`rows-${at}`));
  const texts = rows.map((row) => row.join("\u0000").toLowerCase());
  for (const name of [...new Set(rows.map((row) => row[2]))].sort().slice(0, 500)) {
    const option = element("option", name || "-");
    option.value = name;
    byId("hook").append(option);
  }
  const shortened = (text, column) => {
    if (column === 0) return /^\d{4}-\d\d-\d\dT/.test(text) ? text.slice(0, 19).replace("T", " ") : text;
    return column === 1 ? text.split(" ").map((word) => titles[word]).join(", ") : text;
  };
  let shown = [], page = 0;
  const refresh = () => {
    const wanted = byId("filter").value.toLowerCase(), change = byId("change").value, hook = byId("hook").value;
    shown = [];
    rows.forEach((row, index) => {
      if (change && !row[1].split(" ").includes(change)) return;
      if (hook && row[2] !== hook) return;
      if (wanted && !texts[index].includes(wanted)) return;
      shown.push(index);
    });
    page = 0;
    draw();
  };
  const draw = () => {
    const pages = Math.max(1, Math.ceil(shown.length / PAGE));
    page = Math.min(Math.max(page, 0), pages - 1);
    const left = summary.left_out ? `; ${number(summary.left_out)} more are not in this file` : "";
    byId("page").textContent = `${number(shown.length)} events, page ${page + 1} of ${number(pages)}${left}`;
    byId("before").disabled = page === 0;
    byId("after").disabled = page === pages - 1;
    const body = byId("table").tBodies[0];
    body.replaceChildren(...shown.slice(page * PAGE, page * PAGE + PAGE).map((index) => {
      const row = element("tr", undefined, "row");
      row.tabIndex = 0;
      row.dataset.index = index;
      rows[index].slice(0, 6).forEach((text, column) => {
        const cell = element("td", shortened(text, column));
        cell.title = text;
        row.append(cell);
      });
      return row;
    }));
  };
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const opened = async (index) => {
    const cell = element("td", undefined, "detail");
    cell.colSpan = 6;
    const add = (title, text) => { cell.append(element("strong", title), element("pre", text)); };
    const files = summary.hooks.map((file) => `--hooks ${quote(file)}`).join(" ");
    add("fire it again", `sandhook replay RECORD ${files} --engine local --where ${quote(`id = "${rows[index][6]}"`)}`);
    const runs = index < summary.most_runs ? await block(`runs-${Math.floor(index / summary.runs_of_block)}`) : null;
    const run = runs && runs[index % summary.runs_of_block];
    if (!run) {
      add("the full run", "is not in this file: fire it again");
      return cell;
    }
    add(`before (${run.old_ms ?? "?"} ms)`, JSON.stringify(run.old, null, 1));
    add(`now (${run.new_ms} ms)`, JSON.stringify(run.new, null, 1));
    if (run.run) {
      add("payload", JSON.stringify(run.run.payload, null, 1));
      for (const hook of run.run.hooks) {
        const steps = (hook.steps || []).map((step) => `${step.line ?? ""}\t${step.status ?? ""}\t${step.text ?? ""}`);
        add(`${hook.hook_id}: ${hook.decision}, exit status ${hook.exit_status ?? "none"}`,
          [hook.could_not_run, hook.stdout && `stdout: ${hook.stdout}`, hook.stderr && `stderr: ${hook.stderr}`,
            steps.length && `line\tstatus\tcommand\n${steps.join("\n")}`].filter(Boolean).join("\n"));
      }
    }
    return cell;
  };
  const toggle = async (row) => {
    const next = row.nextElementSibling;
    if (next && next.classList.contains("open")) { next.remove(); return; }
    const detail = element("tr", undefined, "open");
    detail.append(await opened(Number(row.dataset.index)));
    row.after(detail);
  };
  byId("table").tBodies[0].addEventListener("click", (event) => {
    const row = event.target.closest("tr.row");
    if (row) toggle(row);
  });
  byId("table").tBodies[0].addEventListener("keydown", (event) => {
    const row = event.target.closest("tr.row");
    if (row && event.key === "Enter") toggle(row);
  });
  byId("filter").addEventListener("input", refresh);
  byId("change").addEventListener("change", refresh);
  byId("hook").addEventListener("change", refresh);
  byId("before").addEventListener("click", () => { page -= 1; draw(); });
  byId("after").addEventListener("click", () => { page += 1; draw(); });
  refresh();
  // Plots take the colours of the page, and as much of its width as they need.
  const plot = async (id) => {
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const words = { labelColor: colour("--text"), titleColor: colour("--text") };
    const config = {
      background: null, axis: { ...words, gridColor: colour("--line"), domainColor: colour("--line"), tickColor: colour("--line") },
      legend: words, header: words, view: { stroke: colour("--line") },
    };
    const width = Math.max(180, Math.min(summary[id].width, byId(id).clientWidth - 180));
    await window.vegaEmbed(`#${id}`, { ...summary[id], width, config }, { actions: false, renderer: "svg" });
  };
  const plots = async () => { await plot("timeline"); await plot("latency"); };
  await plots();
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", plots);
  document.body.dataset.ready = "yes";
})();
