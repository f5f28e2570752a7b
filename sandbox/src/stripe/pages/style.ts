/** What the payment pages need beyond the shared rules. */
export const PAYMENT_CSS = `
.narrow { max-width: 520px; }
.panel { padding: 18px 20px; margin: 0 0 20px; }
.panel > :last-child { margin-bottom: 0; }
.panel > .fields, .panel > .actions { margin-top: 0; }
.panel > .actions + p { margin-top: 12px; }
.panel > details { padding: 0; }
.fields input, .settings input { font-weight: 400; color: var(--text); }
.narrow > section > .card { margin-bottom: 12px; }
.things:empty { display: none; }
.amount { font-size: 28px; font-weight: 600; font-variant-numeric: tabular-nums; margin: 0 0 4px; }
.fields { display: grid; gap: 14px; margin: 16px 0; }
.fields label { display: block; font-weight: 600; font-size: 15px; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 14px; }
button.main { background: var(--mark); border-color: var(--mark); color: var(--page); font-weight: 600; }
button.main:hover { background: var(--text); border-color: var(--text); }
.wide { width: 100%; }
.actions { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; margin: 12px 0 0; }
.actions .field { flex: 1 1 100%; font-weight: 600; font-size: 15px; }
.actions select { font-weight: 400; }
.actions form { display: contents; }
h1 + section, p + section { margin-top: 24px; }
h2 + .things { margin-top: 8px; }
.actions + details.card { margin: 16px 0; }
.refused { border-left: 4px solid var(--down); background: var(--card); padding: 10px 14px; margin: 0 0 16px; border-radius: 6px; }
.done { border-left: 4px solid var(--up); background: var(--card); padding: 10px 14px; margin: 0 0 16px; border-radius: 6px; }
[aria-invalid="true"] { border-color: var(--down); }
.things { list-style: none; margin: 0 0 20px; padding: 0; }
.things > li { padding: 14px 16px; }
.things > li + li { border-top: 1px solid var(--line); }
.things h3 { margin: 0; font-size: 16px; }
.things p { margin: 2px 0 0; font-size: 14px; }
.things > .row { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 10px 16px; }
.row > :first-child { flex: 1 1 260px; }
.row > .actions { margin: 0; }
.things .aside { border-left: 4px solid var(--mark); background: var(--wash); padding: 8px 12px; margin-top: 10px; border-radius: 6px; }
.cards { margin: 0; padding: 0 0 12px; list-style: none; font-size: 14px; }
.cards li { padding: 4px 0; }
.cards code { font-weight: 600; white-space: nowrap; }
.settings { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 12px; align-items: end; }
.settings label { font-size: 14px; color: var(--quiet); }
details > form { padding-bottom: 16px; }
`
