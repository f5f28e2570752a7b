import type { Examples } from './example.ts'

const SUBSCRIPTION_ID = '019aa1c2-6d1f-7c3e-9a55-2f0f4f1f7a10'
const ENDED_SUBSCRIPTION_ID = '019a6f0e-14c0-7b1d-8c3a-5f6a7b8c9d01'
const SESSION_ID = '019aa1c2-7be4-7a0d-8d7e-5b0f6c1d2e3f'
const DEVICE_ID = '019aa1c2-8c11-7f0e-9d21-6a0b4c3d2e1f'
const PUSH_KEY = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'

const customer = { answer: { configured: true } }
const portal = { url: 'https://billing.stripe.com/p/session/test_YWNjdF8x' }

/** As the profile of the examples has it. */
export const ABOUT = 'Large companies, held for weeks. I write down why, also when I was wrong.'

const DISCOUNT_CODE_ID = '019aa1c2-4d2e-7b11-8c0f-5a9e1f3d7b62'
const SPRING = { code: 'SPRING', percentOff: 20, amountOffCents: null, currency: 'usd', months: 3 }
const OWN_CODES = {
  codes: [{ ...SPRING, id: DISCOUNT_CODE_ID, uses: 12, maxUses: 50, lastDay: '2026-12-31' }],
}

const OWN_PRICES = {
  currency: 'usd',
  monthlyCents: 1500,
  yearlyCents: 15_000,
  isDefault: false,
  minCents: 300,
  maxCents: 50_000,
  followersBelow: 12,
  followersAgreed: 3,
  trialDays: 7 as const,
}

const NEW_PRICE = { priceCents: 1500, agreed: false, from: '2027-01-18T15:00:00.000Z' }

/** Of calls about accounts, payments and devices. */
export const accountExamples = {
  configuration: {
    answer: {
      username: 'maria',
      trader: true,
      customer: false,
      email: 'maria@people.example',
      publicPage: true,
      about: ABOUT,
      followersShown: true,
    },
  },
  customer,
  setUpCustomer: customer,
  customerSession: { answer: portal },
  startOnboarding: { answer: { url: 'https://connect.stripe.com/setup/e/acct_1Qx/yT4' } },
  payoutDashboard: { answer: { url: 'https://connect.stripe.com/express/acct_1Qx/pR9' } },
  payoutStatus: { answer: { onboardComplete: false, rejected: true, followed: true, taxMissing: true } },
  subscribers: { answer: { subscribers: 412 } },
  desk: {
    answer: {
      followers: 412,
      months: [
        { month: '2026-11', gained: 31, lost: 9 },
        { month: '2026-10', gained: 44, lost: 12 },
      ],
      income: [{ currency: 'usd', thisMonthCents: 370800, lastMonthCents: 351000, allCents: 2891700 }],
      prices: [
        { priceCents: 1000, currency: 'usd', interval: 'month', followers: 380, ending: 4 },
        { priceCents: 15_000, currency: 'usd', interval: 'year', followers: 32, ending: 0 },
      ],
      ahead: [{ currency: 'usd', cents: 374_400 }],
      returned: [{ currency: 'usd', months: 12, cents: 12_000 }],
      takenOff: [
        ...[
          {
            at: '2026-11-24T09:30:00.000Z',
            paidCents: 1000,
            shareCents: 900,
            currency: 'usd',
            why: 'disputed',
          },
        ],
        ...[
          {
            at: '2026-11-17T15:00:00.000Z',
            paidCents: 1000,
            shareCents: 690,
            currency: 'usd',
            why: 'withdrawn',
          },
        ],
      ],
      trials: { began: 60, free: 12, stayed: 31, ended: 16 },
    },
  },
  payouts: {
    answer: {
      state: 'ready',
      balance: [{ currency: 'usd', availableCents: 0, pendingCents: 27900 }],
      coming: [{ id: 'po_1QxYz', amountCents: 12600, currency: 'usd', arrivesOn: '2026-11-26' }],
    },
  },
  followingResults: {
    answer: {
      indexSymbol: 'SPY',
      following: 1,
      closed: 14,
      mean: 2.1,
      won: 9,
      index: -0.8,
      open: 3,
      fromClose: 0,
      recent: { closed: 4, mean: 0.8, won: 3, index: 0.3 },
      costs: [{ currency: 'usd', cents: 1000 }],
      traders: [
        {
          username: 'maria',
          since: '2026-08-03T15:00:00.000Z',
          closed: 14,
          mean: 2.1,
          won: 9,
          index: -0.8,
          open: 3,
        },
      ],
      renewalMail: true,
    },
  },
  switchRenewalMail: { body: { enabled: false }, answer: { renewalMail: false } },
  discountCodes: { answer: OWN_CODES },
  addDiscountCode: {
    body: { code: 'spring', off: '20 %', months: 3, maxUses: 50, lastDay: '2026-12-31', currency: 'usd' },
    answer: OWN_CODES,
  },
  endDiscountCode: { params: { id: DISCOUNT_CODE_ID }, answer: { codes: [] } },
  discount: {
    params: { username: 'maria', code: 'SPRING' },
    answer: { ...SPRING, discountedCents: 1200, priceCents: 1500 },
  },
  prices: { answer: OWN_PRICES },
  setPrices: { body: { monthly: '15', yearly: '', currency: 'usd', trialDays: 7 }, answer: OWN_PRICES },
  newSubscription: {
    body: {
      ...{ username: 'maria', interval: 'month', discountCode: 'SPRING', priceCents: 1500 },
      trialDays: 7,
    },
    answer: { url: 'https://checkout.stripe.com/c/pay/cs_test_a1B2c3' },
  },
  subscriptions: {
    answer: {
      subscriptions: [
        {
          id: SUBSCRIPTION_ID,
          username: 'maria',
          status: 'active',
          mailEnabled: true,
          endsAt: null,
          currentPeriodEnd: '2026-12-18T15:00:00.000Z',
          startedAt: '2026-11-18T15:00:00.000Z',
          priceCents: 1000,
          currency: 'usd',
          interval: 'month',
          newPrice: NEW_PRICE,
          discount: { cents: 800, thenCents: 1000, until: '2027-02-18T15:00:00.000Z', code: 'SPRING' },
          trialEndsAt: null,
          withdrawUntil: '2026-12-02T15:00:00.000Z',
        },
        {
          ...{ id: ENDED_SUBSCRIPTION_ID, username: 'cleo', status: 'canceled', mailEnabled: true },
          ...{ endsAt: null, currentPeriodEnd: '2026-12-10T15:00:00.000Z' },
          ...{ startedAt: '2026-11-10T15:00:00.000Z', priceCents: 1250, currency: 'usd', interval: 'month' },
          ...{ trialEndsAt: null, withdrawUntil: null, withdrawnAt: '2026-11-17T15:00:00.000Z' },
          returns: [
            { why: 'withdrawn', cents: 958, monthFrom: null, returnedAt: '2026-11-17T15:00:05.000Z' },
          ],
          disputes: [{ paidCents: 1250, disputedAt: '2026-11-20T15:00:00.000Z', decided: 'payer' }],
        },
      ],
      mailsRefused: null,
      positionMails: true,
    },
  },
  subscriptionCheck: {
    params: { id: 'maria' },
    answer: { subscribed: false, id: null, status: null, trialDays: null, trialRefused: true },
  },
  invoices: {
    answer: {
      invoices: [
        {
          id: 'in_1Qx7',
          trader: 'maria',
          paidAt: '2026-11-18T15:00:00.000Z',
          amountCents: 1000,
          taxCents: 160,
          refundedCents: 767,
          currency: 'usd',
        },
      ],
      more: false,
    },
  },
  openInvoice: {
    params: { id: 'in_1Qx7' },
    answer: { url: 'https://invoice.stripe.com/i/acct_1Qx/live_pR9' },
  },
  manageSubscription: { params: { id: SUBSCRIPTION_ID }, answer: portal },
  endTrial: { params: { id: SUBSCRIPTION_ID }, answer: { endsAt: '2026-12-06T15:00:00.000Z' } },
  leaving: {
    params: { id: SUBSCRIPTION_ID },
    answer: {
      endsAt: null,
      cancelAt: '2026-12-18T15:00:00.000Z',
      inTrial: false,
      withdrawal: {
        until: '2026-12-02T15:00:00.000Z',
        paidCents: 1000,
        returnsCents: 767,
        currency: 'usd',
        delivered: true,
        daysLeft: 23,
      },
      asOf: '2026-11-25T15:00:00.000Z',
    },
  },
  cancelSubscription: { params: { id: SUBSCRIPTION_ID }, answer: { endsAt: '2026-12-18T15:00:00.000Z' } },
  keepSubscription: {
    params: { id: SUBSCRIPTION_ID },
    answer: { currentPeriodEnd: '2026-12-18T15:00:00.000Z' },
  },
  withdraw: {
    params: { id: SUBSCRIPTION_ID },
    body: { asOf: '2026-11-25T15:00:00.000Z' },
    answer: { paidCents: 1000, returnsCents: 767, currency: 'usd' },
  },
  switchSubscriptionMail: {
    params: { id: SUBSCRIPTION_ID },
    body: { enabled: false },
    answer: { mailEnabled: false },
  },
  agreeToPrice: {
    params: { id: SUBSCRIPTION_ID },
    body: { priceCents: 1500 },
    answer: { newPrice: { ...NEW_PRICE, agreed: true } },
  },
  switchPositionMails: { body: { enabled: false }, answer: { positionMails: false } },
  setUsername: { body: { username: 'maria' }, answer: { username: 'maria' } },
  setAbout: { body: { about: ABOUT }, answer: { about: ABOUT } },
  showFollowers: { body: { shown: true }, answer: { followersShown: true } },
  switchPublicPage: { body: { enabled: true }, answer: { publicPage: true } },
  sessions: {
    answer: {
      sessions: [
        {
          id: SESSION_ID,
          current: true,
          awaitsSecondStep: false,
          seenAt: '2026-11-18T15:05:00.000Z',
          seenFrom: { device: 'Chrome on Windows', network: '203.0.113.*' },
          signedInAt: '2026-11-18T09:12:44.000Z',
          signedInFrom: { device: 'Chrome on Windows', network: '203.0.113.*' },
        },
      ],
    },
  },
  endSession: { params: { id: SESSION_ID }, answer: { ok: true } },
  secondStep: { answer: { mailedCodeDue: false, recoveryCodesLeft: 9 } },
  makeRecoveryCodes: {
    answer: {
      codes: Array.from({ length: 10 }, (_, index) => `7KM29-XQR${index}W`),
    },
  },
  closing: {
    answer: { followed: 2, followers: 0, openPositions: 3, openedToday: 1, mailedCodeDue: true },
  },
  closeAccount: { body: { confirm: true }, answer: { eraseAt: '2026-12-02T15:05:00.000Z' } },
  requestExport: {
    answer: {
      path: '/mail/export/AZqhwnvkeg2NfltfD2HS4z8q0nJf1kU2y7vZx3mQd5RbT9wLcE4sGhKoPiYaNtBu',
      expiresAt: '2026-11-18T16:00:00.000Z',
    },
  },
  sendFeedback: { body: { feedback: 'The chart should show the opening price.' }, answer: { ok: true } },
  push: {
    answer: {
      publicKey: PUSH_KEY,
      devices: [
        {
          id: DEVICE_ID,
          current: true,
          device: 'Chrome on Android',
          since: '2026-11-18T15:00:00.000Z',
          failingSince: null,
        },
      ],
      traders: [{ id: SUBSCRIPTION_ID, username: 'maria', pushEnabled: true }],
    },
  },
  turnOnPush: {
    body: {
      endpoint: 'https://push.example/send/d4f0c2a9',
      keys: { p256dh: PUSH_KEY, auth: 'k8JV6sjdbhAi1n3_LDBLvA' },
      publicKey: PUSH_KEY,
    },
    answer: { id: DEVICE_ID, token: 'Yq3xW0n1b7cR5vTz8mKpL2sD4fGh6jQ9aEuIoXyNtBw' },
  },
  turnOffPush: { params: { id: DEVICE_ID }, answer: { ok: true } },
  switchSubscriptionPush: {
    params: { id: SUBSCRIPTION_ID },
    body: { enabled: false },
    answer: { pushEnabled: false },
  },
} satisfies Partial<Examples>
