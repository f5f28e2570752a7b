/** The rules of the payment pages beyond the shared ones. */
export const PAYMENT_CSS = `
.narrow { max-width: 520px; }
.panel { padding: 18px 20px; margin: 0 0 20px; }
.panel > :last-child { margin-bottom: 0; }
.panel > .fields, .panel > .actions { margin-top: 0; }
.panel > .actions + p { margin-top: 12px; }
.panel > details { padding: 0; }
.fields input { font-weight: 400; color: var(--text); }
.narrow > section > .card { margin-bottom: 12px; }
.amount { font-size: 28px; font-weight: 600; font-variant-numeric: tabular-nums; margin: 0 0 4px; }
.fields { display: grid; gap: 14px; margin: 16px 0; }
.fields label { display: block; font-weight: 600; font-size: 15px; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 14px; }
button.main { background: var(--mark); border-color: var(--mark); color: var(--page); font-weight: 600; }
button.main:hover { background: var(--text); border-color: var(--text); }
.wide { width: 100%; }
.actions .field { flex: 1 1 100%; font-weight: 600; font-size: 15px; }
.actions select { font-weight: 400; }
h1 + section, p + section { margin-top: 24px; }
h2 + .things { margin-top: 8px; }
.actions + details.card { margin: 16px 0; }
[aria-invalid="true"] { border-color: var(--down); }
.cards { margin: 0; padding: 0 0 12px; list-style: none; font-size: 14px; }
.cards li { padding: 4px 0; }
.cards code { font-weight: 600; white-space: nowrap; }
details > form { padding-bottom: 16px; }
`
