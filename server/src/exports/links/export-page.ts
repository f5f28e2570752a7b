import { BRAND } from '@tradepost/contract/brand'
import { EXPORT_BEGINS_MAX_COUNT, EXPORT_LINK_MINUTES } from '@tradepost/contract/limits'
import { webPaths } from '@tradepost/contract/web-paths'
import { mailPage } from '../../platform/http/mail-page.ts'
import type { ExportLink } from './take-export.ts'

/** The page of a live link: one button, for mail scanners open links and press none. */
export function takePage(expiresAt: Date): string {
  return mailPage(
    'Download your data',
    `<h1>Download your data</h1>
<p>One archive with everything that ${BRAND} keeps about you, as JSON and as tables. It can be downloaded once, until <span translate="no">${expiresAt.toISOString().slice(11, 16)} UTC</span>.</p>
<p>Anybody who has the file can read all of it: download it to a device that is yours.</p>
<form method="post"><button type="submit">Download</button></form>`,
  )
}

/** Why a link gives nothing. */
export function deadPage(kind: Exclude<ExportLink['kind'], 'live'>): string {
  const [title, text] = DEAD[kind]
  return mailPage(title, `<h1>${title}</h1>\n<p>${text}</p>`)
}

const AGAIN = `Ask for another one in <a href="${webPaths.profile}">Account &gt; Profile</a>.`
const DEAD = {
  unknown: [
    'This link leads nowhere',
    `It may have been cut in two by your mail program. Try to copy the whole link from the mail, or <a href="/">open ${BRAND}</a>.`,
  ],
  expired: ['This link has expired', `It gave the file for ${EXPORT_LINK_MINUTES} minutes. ${AGAIN}`],
  taken: [
    'The file was downloaded already',
    `${AGAIN} If it was not you who downloaded it, end every session that is not yours there, and make sure that nobody else can read your e-mail.`,
  ],
  replaced: ['There is a newer link', 'Use the one in the newest mail; this one gives nothing any more.'],
  broken: [
    'The download broke off too often',
    `It was begun ${EXPORT_BEGINS_MAX_COUNT} times and never ended. ${AGAIN}`,
  ],
} as const
