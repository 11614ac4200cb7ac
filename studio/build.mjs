// Builds the page into src/sandhook/studio/assets: one script, one style sheet, the page, and the licences.
import { build } from "esbuild";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "../src/sandhook/studio/assets");
mkdirSync(target, { recursive: true });

const result = await build({
  absWorkingDir: here,
  entryPoints: { studio: "src/main.tsx" },
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "ascii",
  legalComments: "none",
  metafile: true,
  outdir: target,
  logLevel: "warning",
});

for (const name of readdirSync(join(here, "static"))) copyFileSync(join(here, "static", name), join(target, name));

/** Returns the directories of the packages whose modules are in the bundle. */
function packages() {
  const names = new Set();
  for (const [output, { inputs }] of Object.entries(result.metafile.outputs)) {
    if (!output.endsWith(".js")) continue;
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      const parts = relative(here, join(here, input)).split(sep).join("/").split("node_modules/");
      if (parts.length < 2 || bytesInOutput === 0) continue;
      const [first, second] = parts.at(-1).split("/");
      names.add(first.startsWith("@") ? `${first}/${second}` : first);
    }
  }
  return [...names].sort();
}

const texts = packages().map((name) => {
  const directory = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"].find((each) => existsSync(join(directory, each)));
  if (!file) throw new Error(`${name}: no text of its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(directory, file), "utf8").trim()}\n`;
});
const head = "studio.js contains code of these packages, under these licences.\n";
writeFileSync(join(target, "LICENSES.txt"), [head, ...texts].join(`\n${"-".repeat(78)}\n\n`));
