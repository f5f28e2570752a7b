/**
 * Colours of the mails. In a mail the light values stand inline, since many mail
 * programs drop style sheets; the dark ones come by class and media query, for programs that keep them. Every pair of text
 * and ground has a contrast of at least 4.5:1.
 */
export const light = {
  page: '#f4f5f7',
  card: '#ffffff',
  border: '#e2e4e9',
  ink: '#15181e',
  muted: '#575d69',
  accent: '#0a7a4b',
  loss: '#b3261e',
} as const

export const dark: Record<keyof typeof light, string> = {
  page: '#0f1115',
  card: '#181b21',
  border: '#2c313a',
  ink: '#f0f2f5',
  muted: '#a5acb8',
  accent: '#4cc38a',
  loss: '#ff8a80',
} as const

export const FONT =
  "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Helvetica, Arial, sans-serif"

/** Of a mail. A class repaints in the dark what has the colour of its name; `mark` is the flag of the brand, drawn with borders. */
export const darkSheet = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background:${dark.page}!important}
.card{background:${dark.card}!important;border-color:${dark.border}!important}
.rule{border-color:${dark.border}!important}
.ink{color:${dark.ink}!important}
.muted{color:${dark.muted}!important}
.accent{color:${dark.accent}!important}
.loss{color:${dark.loss}!important}
.mark{border-left-color:${dark.accent}!important;border-top-color:${dark.accent}!important;border-bottom-color:${dark.accent}!important}
.button{background:${dark.ink}!important;color:${dark.card}!important}
}`
