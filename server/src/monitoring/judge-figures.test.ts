import { expect, test } from 'vitest'
import type { FigureName, Figures, Waiting } from './figures.ts'
import { judgeFigures } from './judge-figures.ts'
import { readProcessFigures } from './read-status.ts'

const WORKING: Waiting = { label: '', count: 4, oldestSeconds: 0 }

function alarmsOf(figure: FigureName, waiting: Omit<Waiting, 'label'>, label = ''): (string | null)[] {
  const figures: Figures = new Map([
    ['worker', [WORKING]],
    [figure, [{ label, ...waiting }]],
  ])
  return judgeFigures(figures).map(({ alarm }) => alarm)
}

test('a figure needs a look above its limit, and not at it', () => {
  const ages: [FigureName, number, string][] = [
    ['job', 300, 'TradepostJobsWait'],
    ['event', 60, 'TradepostEventsWait'],
    ['signal mail', 600, 'TradepostMailsWait'],
    ['single mail', 120, 'TradepostSingleMailsWait'],
    ['push', 300, 'TradepostPushesWait'],
    ['webhook', 600, 'TradepostWebhooksWait'],
    ['record', 1800, 'TradepostRecordUnsigned'],
  ]
  for (const [figure, limit, alarm] of ages) {
    expect(alarmsOf(figure, { count: 1, oldestSeconds: limit })).toEqual([null, null])
    expect(alarmsOf(figure, { count: 1, oldestSeconds: limit + 1 })).toEqual([null, alarm])
  }
  expect(alarmsOf('lost job', { count: 0, oldestSeconds: 0 })).toEqual([null, null])
  expect(alarmsOf('lost job', { count: 1, oldestSeconds: 0 })).toEqual([null, 'TradepostJobsGivenUp'])
  expect(alarmsOf('lost event', { count: 1, oldestSeconds: 9000 })).toEqual([null, 'TradepostEventsGivenUp'])
})

test('without a worker there is nothing right, whatever waits', () => {
  expect(judgeFigures(new Map([['worker', []]]))).toEqual([
    { what: 'Worker', stands: 'none lives: no mails, no payments', alarm: 'TradepostNoWorker' },
  ])
})

test('how something stands is described in words', () => {
  const figures: Figures = new Map([
    ['worker', [WORKING]],
    ['job', [{ label: '', count: 1, oldestSeconds: 119 }]],
    ['event', [{ label: 'push', count: 12_000, oldestSeconds: 7000 }]],
    ['lost event', [{ label: 'mail', count: 0, oldestSeconds: 0 }]],
    ['webhook', [{ label: '', count: 2, oldestSeconds: 86_400 }]],
  ])
  expect(judgeFigures(figures).map(({ what, stands }) => `${what}: ${stands}`)).toEqual([
    'Worker: lives',
    'Jobs: 1 waits, the oldest for 119 s',
    'Events to be read by push: 12,000 wait, the oldest for 117 min',
    'Events given up by mail: none',
    'Webhooks of Stripe: 2 wait, the oldest for 24 h',
  ])
})

test('a process that does not answer at its port needs a look', async () => {
  expect(await readProcessFigures('http://127.0.0.1:9')).toEqual([
    { what: 'Process', stands: 'does not answer at http://127.0.0.1:9', alarm: 'TradepostProcessAway' },
  ])
})
