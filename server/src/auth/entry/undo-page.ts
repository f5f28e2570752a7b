import { BRAND } from '@tradepost/contract/brand'
import { FACTOR_UNDO_HOURS } from '@tradepost/contract/limits'
import { webPaths } from '@tradepost/contract/web-paths'
import { mailPage } from '../../platform/http/mail-page.ts'

type Change = 'added' | 'removed'

/** The page of a live link: the change that the link undoes, and one button that asks for the code. */
export function askPage(change: Change): string {
  return mailPage(
    'Undo this change',
    `<h1>${CHANGE[change].title}</h1>
<p>${CHANGE[change].effect}</p>
<p>All sessions of your account will end, and your recovery codes will stop working. We send a code to your e-mail first.</p>
<form method="post"><button type="submit">Send me a code</button></form>`,
  )
}

export type CodeNote = 'sent' | 'limited' | 'wrong'
const NOTES: Record<CodeNote, string> = {
  sent: 'We sent a code to your e-mail. Type it here.',
  limited: 'No more mails can be sent just now. Type the newest code that we sent to your e-mail.',
  wrong: 'That code is not right, or it has expired. Type the newest one that we sent.',
}

/** Where the mailed code is typed. */
export function codePage(change: Change, note: CodeNote): string {
  return mailPage(
    'Undo this change',
    `<h1>${CHANGE[change].title}</h1>
<p role="status">${NOTES[note]}</p>
<form method="post">
<label for="code">Code from your e-mail</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" autofocus${note === 'wrong' ? ' aria-invalid="true"' : ''}>
<button type="submit">Undo the change</button>
</form>
<form method="post"><button type="submit" class="plain">Send another code</button></form>`,
  )
}

export function undonePage(change: Change): string {
  return mailPage(
    'Done',
    `<h1>${CHANGE[change].done}</h1>
<p>All sessions of your account have ended, and your recovery codes no longer work. <a href="${webPaths.login}">Sign in again</a> to make new ones in Account &gt; Profile.</p>
<p class="quiet">If you did not make the change, somebody else had access to your account. Make sure that nobody else can read your e-mail.</p>`,
  )
}

/** Why a link does nothing. */
export function deadPage(kind: 'unknown' | 'expired' | 'used' | 'overtaken'): string {
  const [title, text] = DEAD[kind]
  return mailPage(title, `<h1>${title}</h1>\n<p>${text}</p>`)
}

const CHANGE = {
  added: {
    title: 'Remove the authenticator app that was added?',
    effect: 'Signing in will no longer take a code from that app.',
    done: 'The authenticator app has been removed',
  },
  removed: {
    title: 'Restore the authenticator app that was removed?',
    effect: 'Signing in will take a code from that app again.',
    done: 'The authenticator app has been restored',
  },
} as const

const PROFILE = `<a href="${webPaths.profile}">Account &gt; Profile</a>`
const DEAD = {
  unknown: [
    'This link leads nowhere',
    `It may have been cut in two by your mail program. Try to copy the whole link from the mail, or <a href="/">open ${BRAND}</a>.`,
  ],
  expired: [
    'This link has expired',
    `A change can be undone for ${FACTOR_UNDO_HOURS} hours. You can still change two-step verification in ${PROFILE}.`,
  ],
  used: ['This change was undone already', `Two-step verification is in ${PROFILE}.`],
  overtaken: [
    'This link is out of date',
    `Two-step verification was changed again after it. Use the link of the newest mail, or look in ${PROFILE}.`,
  ],
} as const
