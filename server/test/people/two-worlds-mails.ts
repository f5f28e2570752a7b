import PostalMime from 'postal-mime'
import { startDeliveryScenario } from '../mails/delivery-scenario.ts'
import type { World } from './two-worlds.ts'
import { withoutRandom } from './two-worlds-looks.ts'

/** The mails that a stranger gets of everything that has been published, as a mail server takes them: headers, text and HTML. */
export async function mailsToStranger({ stranger, testApp }: World): Promise<string[]> {
  await using scenario = await startDeliveryScenario({ app: testApp })
  const worker = await scenario.startWorker()
  await scenario.untilNothingIsLeft()
  await worker.stop()
  const theirs = scenario.sink.kept.filter(({ recipients }) => recipients.includes(stranger.email))
  const mails = await Promise.all(theirs.map(({ raw }) => PostalMime.parse(raw)))
  // They leave over connections of their own, and either may be first.
  const inOrder = mails.toSorted((one, other) => (one.subject ?? '').localeCompare(other.subject ?? ''))
  const known = new Map<string, string>()
  return inOrder.map(({ headerLines, html, text }) => {
    const parts = [...headerLines.map(({ line }) => line.replaceAll(/\s+/g, ' ')), text ?? '', html ?? '']
    const mail = parts.join('\n').replaceAll(stranger.email, 'the stranger')
    // A receipt leads to the root over everybody's entries (rule G-116). Mails of before the clock was moved do not wait for one.
    const alike = mail
      .replaceAll(/\/verify#[\w-]+/g, '/record')
      .replaceAll(/Verify this signal:?/g, 'Its receipt is late: the public record will have it.')
    return withoutRandom(alike, known)
  })
}
