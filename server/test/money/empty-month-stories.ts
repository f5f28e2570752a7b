import assert from 'node:assert/strict'
import { closeBy, makeClosings } from '../closing.ts'
import { call } from '../factories.ts'
import { runOperator } from '../run-operator.ts'
import { runPurges } from '../run-purges.ts'
import { subscribeAtStripe } from './billing-scenario.ts'
import {
  asSubscriber,
  atStripe,
  cancels,
  closes,
  disputes,
  isPushed,
  mailsEnd,
  makeTrial,
  makeUnfollowedEvent,
  makeWithCode,
  refunds,
  type Story,
  speaks,
  speaksAt,
  sql,
  subscriptionOf,
  symbolOf,
} from './empty-month-acts.ts'
import { OTHER_CARD } from './trial-scenario.ts'

const DAY_MS = 86_400_000
const MONTH_MS = 31 * DAY_MS
const NOTHING = { back: 1000, has: 0, told: [1000] }
const KEPT = { back: 0, has: 900 }

export const STORIES: readonly Story[] = [
  { title: 'nothing is published', ...NOTHING },
  { title: 'an event is mailed', acts: [[10, speaks()]], ...KEPT },
  { title: 'an event of the month’s first instant', acts: [[1, speaksAt(0)]], ...KEPT },
  { title: 'an event of the month’s last millisecond', acts: [[30, speaksAt(MONTH_MS - 1)]], ...KEPT },
  {
    title: 'an event of the instant of its end, which is the next month’s',
    acts: [[30, speaksAt(MONTH_MS)]],
    ...NOTHING,
  },
  { title: 'an event of before the follower came', make: makeUnfollowedEvent, ...NOTHING },
  {
    title: 'an event after the follower has gone',
    acts: [
      [3, cancels],
      [5, speaks()],
    ],
    ...NOTHING,
  },
  {
    title: 'a position opened and closed after the follower has gone',
    acts: [
      [3, cancels],
      [5, speaks()],
      [7, closes({ unsettled: false })],
      [7, mailsEnd],
    ],
    ...NOTHING,
  },
  { title: 'an event whose mail is given up', acts: [[10, speaks({ mails: 'given up' })]], ...NOTHING },
  {
    title: 'an event whose mail is given up, and Activity is opened',
    acts: [
      [10, speaks({ mails: 'given up' })],
      [
        12,
        async ({ testApp }, { person }) => {
          const { body } = await call(testApp, person, 'GET', '/v1/activity')
          assert.equal(
            (await call(testApp, person, 'POST', '/v1/activity/read', { seen: body.seen })).status,
            200,
          )
        },
      ],
    ],
    ...KEPT,
  },
  {
    title: 'an event whose mail is given up, and a notification is taken',
    acts: [
      [10, speaks({ mails: 'given up' })],
      [10, isPushed],
      [13, ({ testApp }) => runPurges(testApp)],
    ],
    ...KEPT,
  },
  { title: 'an event whose mail never goes', acts: [[20, speaks({ mails: 'waiting' })]], ...NOTHING },
  {
    title: 'an event whose mail is taken after the end',
    acts: [
      [20, speaks({ mails: 'waiting' })],
      [33, mailsEnd],
    ],
    ...KEPT,
  },
  {
    title: 'the follower has switched mails off',
    acts: [
      [1, asSubscriber('update subscriptions set mail_muted_at = started_at where subscriber_id = $1')],
      [10, speaks()],
    ],
    ...KEPT,
  },
  {
    title: 'the follower’s address refuses mails',
    acts: [
      [10, speaks()],
      [
        10,
        sql(`insert into delivery_exceptions (trader_id, event_no, mail_no, state, tries, refusals, created_at, updated_at)
      select trader_id, 1, mail_no, 'refused', 7, 7, started_at, started_at from subscriptions where trader_id = $1`),
      ],
    ],
    ...KEPT,
  },
  {
    title: 'the only position is struck',
    acts: [
      [10, speaks()],
      [
        12,
        async (scenario, made) =>
          runOperator(
            scenario.testApp,
            'positions:strike',
            (await symbolOf(scenario, made)).id,
            'It says nothing.',
          ),
      ],
    ],
    ...NOTHING,
  },
  {
    title: 'a position of before is split and closed by the operator',
    make: makeUnfollowedEvent,
    acts: [
      [
        5,
        async (scenario, made) =>
          runOperator(
            scenario.testApp,
            'positions:adjust',
            'split',
            (await symbolOf(scenario, made)).symbol,
            '10:1',
            '2026-03-06',
          ),
      ],
      [
        9,
        async (scenario, made) =>
          runOperator(
            scenario.testApp,
            'positions:adjust',
            'delisted',
            (await symbolOf(scenario, made)).symbol,
            '12.50',
          ),
      ],
      [9, mailsEnd],
    ],
    ...NOTHING,
  },
  {
    title: 'a close that is still unsettled',
    make: makeUnfollowedEvent,
    acts: [
      [9, closes({ unsettled: true })],
      [9, mailsEnd],
    ],
    ...NOTHING,
  },
  {
    title: 'an unsettled close that is settled within the month',
    make: makeUnfollowedEvent,
    acts: [
      [9, closes({ unsettled: true })],
      [9, mailsEnd],
      [
        15,
        async (scenario, made) =>
          runOperator(
            scenario.testApp,
            'positions:adjust',
            'delisted',
            (await symbolOf(scenario, made)).symbol,
            '12.50',
          ),
      ],
    ],
    ...KEPT,
  },
  {
    title: 'a close of a position of before',
    make: makeUnfollowedEvent,
    acts: [
      [9, closes({ unsettled: false })],
      [9, mailsEnd],
    ],
    ...KEPT,
  },
  { title: 'the follower leaves at once and gets nothing for it', acts: [[3, cancels]], ...NOTHING },
  { title: 'a part was refunded before', acts: [[5, refunds(333)]], back: 1000, has: 0, told: [667] },
  { title: 'all of it was refunded before', acts: [[5, refunds(1000)]], back: 1000, has: 0 },
  {
    title: 'a part is refunded while something is published',
    acts: [
      [5, refunds(333)],
      [6, speaks()],
    ],
    back: 333,
    has: 600,
  },
  { title: 'a dispute is open', acts: [[5, disputes(null)]], back: 0, has: 0 },
  { title: 'a dispute is lost', acts: [[5, disputes('losing_evidence')]], back: 0, has: 0 },
  { title: 'a dispute is won', acts: [[5, disputes('winning_evidence')]], back: 0, has: 900 },
  {
    title: 'the trader’s account is closed, and the unused days came back',
    acts: [[10, atStripe('close')]],
    back: 1000,
    has: 0,
    told: [322],
  },
  {
    title: 'the trader loses payouts for ten days',
    acts: [
      [10, atStripe('restrict')],
      [20, atStripe('restore')],
    ],
    ...NOTHING,
  },
  {
    title: 'the follower closes the account, and the unused days came back',
    acts: [
      [
        10,
        async (scenario, { person }) => {
          await closeBy(scenario.testApp, person)
          await makeClosings(scenario).tend()
        },
      ],
    ],
    back: 1000,
    has: 0,
    told: [322],
  },
  {
    title: 'the follower is suspended while something is published',
    acts: [
      [5, ({ testApp }, { person }) => runOperator(testApp, 'suspend', person.email, 'A question.')],
      [10, speaks()],
    ],
    ...KEPT,
  },
  {
    title: 'the trader is suspended',
    acts: [[5, ({ testApp }, { trader }) => runOperator(testApp, 'suspend', trader.email, 'A question.')]],
    ...NOTHING,
  },
  {
    title: 'free days, in which alone something is published, and a month',
    make: (scenario) => makeTrial(scenario),
    acts: [[3, speaks()]],
    renews: true,
    back: 1250,
    has: 1125,
    told: [1250],
  },
  {
    title: 'free days that end without a payment',
    make: (scenario) => makeTrial(scenario, OTHER_CARD),
    back: 0,
    has: 0,
  },
  { title: 'a month at a code’s price', make: makeWithCode, back: 800, has: 0, told: [800] },
  {
    title: 'a second payment that came back as a double',
    acts: [[2, async (scenario, { person, trader }) => subscribeAtStripe(scenario, person, trader)]],
    back: 2000,
    has: 0,
    told: [1000],
  },
  // The third month is paid, and not over.
  {
    title: 'two months, of which the first is empty',
    acts: [[33, speaks()]],
    renews: true,
    back: 1000,
    has: 1800,
    told: [1000],
  },
  {
    title: 'two months, of which the second is empty',
    acts: [[3, speaks()]],
    renews: true,
    back: 1000,
    has: 1800,
    told: [1000],
  },
  { title: 'two months without a word', renews: true, back: 2000, has: 900, told: [1000, 1000] },
  {
    title: 'a second month that nobody paid',
    acts: [
      [3, speaks()],
      [
        10,
        async (scenario, made) => {
          const { person } = made
          const card = await scenario.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
            customer: person.customer,
          })
          await scenario.stripe.subscriptions.update(await subscriptionOf(scenario, made), {
            default_payment_method: card.id,
          })
        },
      ],
    ],
    renews: true,
    ...KEPT,
  },
  {
    title: 'the trader names a lower price within the month',
    acts: [
      [
        5,
        ({ testApp }, { trader }) =>
          call(testApp, trader, 'POST', '/v1/accounts/prices', {
            monthly: '5',
            yearly: null,
            currency: 'usd',
          }),
      ],
    ],
    renews: true,
    back: 1500,
    has: 450,
    told: [1000, 500],
  },
  // 1041 of 12500 cents, with a tenth of it: 11250 - 937.
  {
    title: 'a year whose first month is empty',
    make: ({ makeYear }) => makeYear(),
    acts: [[33, speaks()]],
    renews: true,
    back: 1041,
    has: 10_313,
    told: [1041],
  },
]
