/** The one style sheet of the sandbox's pages. Amber, so that nobody takes them for the product. */
export const CSS = `
:root {
  color-scheme: light dark;
  --page: light-dark(#faf9f7, #16150f);
  --card: light-dark(#ffffff, #1e1d17);
  --text: light-dark(#1f1d18, #eeece5);
  --quiet: light-dark(#625e54, #b0aa9c);
  --line: light-dark(#e2dfd7, #37342b);
  --field: light-dark(#8c877b, #7f7a6d);
  --mark: light-dark(#9a4a06, #f5b454);
  --wash: light-dark(#fdf3e1, #2c2413);
  --up: light-dark(#12703f, #57c98b);
  --down: light-dark(#b3261e, #f28b82);
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto;
  padding: 0 16px 48px;
  max-width: 1040px;
  background: var(--page);
  color: var(--text);
  font: 16px/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif;
  overflow-wrap: anywhere;
}
a { color: var(--mark); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 16px; top: 8px; padding: 8px 12px; background: var(--card); z-index: 1; }
header {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 4px 16px;
  padding: 12px 0; border-bottom: 1px solid var(--line);
}
nav { min-width: 0; }
nav ol { display: flex; flex-wrap: wrap; margin: 0; padding: 0; list-style: none; }
nav li { display: flex; align-items: center; min-height: 32px; }
nav li + li::before { content: "/" / ""; padding: 0 8px; color: var(--quiet); }
nav a { display: inline-block; padding: 4px 0; }
nav li:only-child { font-weight: 600; }
.notice { margin: 0; color: var(--mark); font-size: 14px; }
h1 { margin: 28px 0 8px; font-size: 26px; line-height: 1.25; letter-spacing: -0.01em; }
h2 { margin: 0; font-size: 18px; line-height: 1.4; }
p { margin: 0 0 12px; }
code { font: 14px/1.5 ui-monospace, "Liberation Mono", Menlo, monospace; }
.quiet { color: var(--quiet); }
.tall { min-height: 44px; display: inline-flex; align-items: center; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.parts {
  display: grid; gap: 16px; margin: 20px 0 0; padding: 0; list-style: none;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr));
}
.parts > li { padding: 18px 20px 12px; }
.parts p { margin: 6px 0; color: var(--quiet); }
.links { display: flex; flex-wrap: wrap; gap: 0 20px; margin: 0; padding: 0; list-style: none; }
.bar { display: flex; flex-wrap: wrap; align-items: end; justify-content: space-between; gap: 12px 20px; margin: 0 0 16px; }
.bar p { margin: 0; align-self: center; }
.bar form { display: flex; flex: 1 1 280px; flex-wrap: wrap; align-items: end; gap: 8px; max-width: 460px; }
.bar label { flex: 1 1 180px; font-size: 14px; color: var(--quiet); }
input, select, button { font: inherit; color: inherit; min-height: 44px; border: 1px solid var(--field); border-radius: 8px; background: var(--card); }
input, select { display: block; width: 100%; margin-top: 4px; padding: 0 12px; }
button { padding: 0 16px; cursor: pointer; }
button:hover { background: var(--wash); }
.rows { margin: 0; padding: 0; list-style: none; overflow: hidden; }
.rows li + li { border-top: 1px solid var(--line); }
.rows a {
  display: flex; flex-wrap: wrap; justify-content: space-between; gap: 2px 16px;
  padding: 12px 16px; color: inherit; text-decoration: none;
}
.rows a:hover { background: var(--wash); }
.rows a:focus-visible { outline-offset: -2px; }
.rows .subject { font-weight: 600; }
.rows .subject { flex: 1 0 100%; }
.rows .to { color: var(--quiet); font-size: 14px; }
.rows time { color: var(--quiet); font-size: 14px; white-space: nowrap; }
.empty { padding: 40px 20px; text-align: center; }
.empty p { color: var(--quiet); margin: 4px auto 0; max-width: 52ch; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 16px; margin: 0 0 20px; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; }
section { margin: 0 0 24px; }
section > h2 { margin-bottom: 8px; }
iframe { display: block; width: 100%; height: max(420px, 66vh); border: 0; border-radius: 11px; }
pre {
  margin: 0; padding: 16px; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 14px/1.55 ui-monospace, "Liberation Mono", Menlo, monospace;
}
details { padding: 0 16px; }
summary { display: flex; align-items: center; min-height: 44px; cursor: pointer; color: var(--quiet); }
summary::before { content: "+" / ""; width: 1.2em; }
details[open] summary::before { content: "\\2212" / ""; }
details .facts { margin-bottom: 16px; font-size: 14px; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 8px 16px; text-align: left; font-weight: 400; overflow-wrap: break-word; }
thead th { color: var(--quiet); font-size: 14px; }
tbody tr { border-top: 1px solid var(--line); }
tbody th { font-weight: 600; white-space: nowrap; }
.number { text-align: right; white-space: nowrap; }
.up { color: var(--up); }
.down { color: var(--down); }
.things:empty { display: none; }
.actions { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; margin: 12px 0 0; }
.actions form { display: contents; }
.refused { border-left: 4px solid var(--down); background: var(--card); padding: 10px 14px; margin: 0 0 16px; border-radius: 6px; }
.done { border-left: 4px solid var(--up); background: var(--card); padding: 10px 14px; margin: 0 0 16px; border-radius: 6px; }
.things { list-style: none; margin: 0 0 20px; padding: 0; }
.things > li { padding: 14px 16px; }
.things > li + li { border-top: 1px solid var(--line); }
.things h3 { margin: 0; font-size: 16px; }
.things p { margin: 2px 0 0; font-size: 14px; }
.things > .row { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 10px 16px; }
.row > :first-child { flex: 1 1 260px; }
.row > .actions { margin: 0; }
.things .aside { border-left: 4px solid var(--mark); background: var(--wash); padding: 8px 12px; margin-top: 10px; border-radius: 6px; }
.settings { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 12px; align-items: end; }
.settings label { font-size: 14px; color: var(--quiet); }
.settings input, .settings select { font-weight: 400; color: var(--text); }
.parts .settings { margin: 12px 0 6px; }
.parts h3 { margin: 0; font-size: 16px; }
@media (min-width: 760px) {
  .rows a { display: grid; grid-template-columns: minmax(0, 17rem) minmax(0, 1fr) auto; gap: 16px; align-items: baseline; }
  .rows .subject { grid-area: 1 / 2; }
}
@media (max-width: 480px) {
  th, td { padding: 8px; }
  td:nth-child(2) { font-size: 14px; overflow-wrap: anywhere; }
  details .facts { grid-template-columns: minmax(0, 1fr); }
  details .facts dd { margin-bottom: 8px; }
}
@media (max-width: 370px) {
  body { padding-inline: 12px; }
  th, td { padding: 8px 6px; font-size: 14px; }
}
`
