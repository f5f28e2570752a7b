import * as z from 'zod'
import { defineLetter, OF_SUBSCRIBER, SAMPLE_TRADER, trader } from './letter.tsx'

/** To a subscriber who pressed the link in a mail's footer: the link that cancels or withdraws without signing in (rule G-126). */
export const wayOut = defineLetter({
  category: 'money',
  // They wait for it, and may not be able to sign in.
  withheldFrom: [],
  facts: z.object({ ...trader, requestId: z.uuid() }),
  drawn: z.object({ url: z.string() }),
  letter({ trader, url }) {
    return {
      subject: `Cancel or withdraw from @${trader}`,
      paragraphs: [
        `Somebody pressed “Cancel or withdraw” in a mail about @${trader} that was sent to you, or was forwarded by you.`,
        'The link below shows what you can do, what you get back and until when you keep your access. It works for an hour, and once.',
        'If you did not ask for it, you need do nothing: nothing ends without you.',
      ],
      action: { label: 'Cancel or withdraw', url },
      because: OF_SUBSCRIBER,
    }
  },
  samples: {
    'way-out': {
      ...SAMPLE_TRADER,
      requestId: '0199c000-0000-7000-8000-000000000001',
      url: 'https://tradepost.example/mail/leaving/AbC-_0123456789abcdefg',
    },
  },
})
