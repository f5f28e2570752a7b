/*
 * The pages of the public record (rule G-115), drawn at build time: /record says what it proves and what not, /verify checks a mail with a
 * script of its own (web/src/verify/). The server puts the record's state and keys into them.
 */
import { CHECKPOINT_PATH, KEYS_PATH } from '@tradepost/contract/record-keys'
import { webPaths } from '@tradepost/contract/web-paths'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { VisitorFrame } from '../app/visitor-frame.tsx'
import { PageFooter } from '../features/landing/page-footer.tsx'
import { FixedRouter } from '../lib/router.tsx'

/** /record as HTML; the server puts the state in the place of the word. Runs at build time. */
export function renderRecordPage(): string {
  return draw(
    <article className="written mx-auto max-w-[44rem]">
      <h1>The public record</h1>
      <p>
        When a trader opens, closes or changes a position, it is written into a public list before its mails
        go out. The list only grows. Each mail carries a receipt of its entry. With it anybody can check that
        the entry still stands there, without an account and without trusting us.
      </p>
      <div id="record-state">__STATE__</div>
      <p>A witness is somebody outside Tradepost who signs that nothing was taken out or changed.</p>
      <h2>What it proves</h2>
      <ul>
        <li>That a position was opened or closed at that time and price, and not added or changed later.</li>
        <li>
          How many positions a trader had open at that moment, so that one that goes badly cannot be left out.
        </li>
        <li>
          That nothing was changed afterwards: one receipt is enough to convict us of changing any earlier
          entry, of any trader.
        </li>
      </ul>
      <h2>What it does not prove</h2>
      <ul>
        <li>
          That a price was right. You can compare: ticker, price and the time of the price are recorded.
        </li>
        <li>That a position was recorded at all. If it was never mailed either, only its trader knows.</li>
        <li>Anything about entries that are newer than every receipt that somebody kept.</li>
        <li>
          That everybody is shown the same list. Two people could be shown two, if they never compare and no
          witness signs.
        </li>
        <li>
          <span>That our page checks honestly: it comes from us. The program </span>
          <a href="/record/verify.mjs" translate="no">
            verify.mjs
          </a>
          <span> does the same on your own computer; it needs Node.</span>
        </li>
      </ul>
      <h2>How to check</h2>
      <p>
        <span>Press “Verify this signal” at the foot of a mail. Or give the mail to the page </span>
        <a href={webPaths.verify}>Check a mail</a>
        <span>, which works without a network once it was open.</span>
      </p>
      <h2>For people who keep watch</h2>
      <p>
        <span>The keys that sign the list are at </span>
        <a href={KEYS_PATH} translate="no">
          {KEYS_PATH}
        </a>
        <span>, its newest signed state is at </span>
        <a href={CHECKPOINT_PATH} translate="no">
          {CHECKPOINT_PATH}
        </a>
        <span>. The program </span>
        <a href="/record/witness.mjs" translate="no">
          witness.mjs
        </a>
        <span> makes you a witness, and </span>
        <a href="/record/mirror.mjs" translate="no">
          mirror.mjs
        </a>
        <span> keeps a copy of the list.</span>
      </p>
    </article>,
  )
}

/** /verify as HTML. Without its script it says how a mail is checked otherwise. Runs at build time. */
export function renderVerifyPage(): string {
  return draw(
    <div id="verify-page" className="mx-auto max-w-[44rem]">
      <h1 className="text-2xl font-semibold tracking-tight">Check a mail</h1>
      <p className="mt-2 text-muted-foreground">
        Every mail about a position carries a receipt of the public record. “Verify this signal” at its foot
        leads here and checks it at once, in your browser. It is sent to nobody.
      </p>
      <noscript>
        <p className="mt-4">
          <span>This page needs JavaScript to check a mail. The program </span>
          <a href="/record/verify.mjs" translate="no">
            verify.mjs
          </a>
          <span> does the same without a browser.</span>
        </p>
      </noscript>
      <div id="verdicts" aria-live="polite" />
      <form id="verify-form" hidden>
        <label>
          <span>Paste that link, or the text of the mail</span>
          <textarea rows={3} spellCheck={false} autoComplete="off" />
        </label>
        <label>
          <span>Or choose mails, saved as .eml or .txt, or drop them on this page</span>
          <input type="file" multiple accept=".eml,.txt,message/rfc822,text/plain" />
        </label>
        <button type="submit">Check</button>
      </form>
      <div className="written mt-8">
        <h2>What this proves</h2>
        <p>
          What the receipt says stood in the public record when it was signed, and so many positions the
          trader had open then. With a network this page also checks that the record of today still has it.
        </p>
        <h2>What it does not prove</h2>
        <p>
          <span>That the mail says the same as the receipt: compare them. </span>
          <span>That the price was the market’s: compare it elsewhere. And this page comes </span>
          <span>from us, whom it checks: if that is not enough for you, use the program </span>
          <a href="/record/verify.mjs" translate="no">
            verify.mjs
          </a>
          <span>.</span>
        </p>
        <p>
          <a href={webPaths.record}>More about the record</a>
        </p>
      </div>
    </div>,
  )
}

function draw(content: ReactNode): string {
  return renderToString(
    <FixedRouter path="">
      <VisitorFrame>{content}</VisitorFrame>
      <PageFooter />
    </FixedRouter>,
  )
}
