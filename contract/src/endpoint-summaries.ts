import type { endpoints } from './endpoints.ts'

/** A line for each call, for the API's documentation; apart from the calls, since the browser has no use for it. */
export const ENDPOINT_SUMMARIES: Readonly<Record<keyof typeof endpoints, string>> = {
  configuration: 'The signed-in account.',
  customer: 'Whether billing has been set up.',
  setUpCustomer: 'Sets up billing; repeating it changes nothing.',
  customerSession: 'The address of the billing portal.',
  startOnboarding: 'Starts or continues the set-up of payouts, agreeing to the current terms.',
  payoutDashboard: "The address of the trader's dashboard at Stripe.",
  payoutStatus: 'Whether payouts are set up.',
  discountCodes: "The signed-in trader's live codes, which take something off the price of a month.",
  addDiscountCode: 'Adds such a code.',
  endDiscountCode: 'Ends a code; subscriptions that began with it keep what it took off.',
  discount: 'The discount that a code of a trader gives to a caller who could use it.',
  prices: "The signed-in trader's own prices, of a month and of a year.",
  setPrices:
    'Sets these prices. They count for new subscriptions. Whoever follows already gets a lower one from the next renewal, and is asked about a higher one. Free days alone leave them as they are.',
  subscribers: 'How many people follow the signed-in trader.',
  desk: "The signed-in trader's followers, by month too, and what came in after the fee.",
  payouts: 'What Stripe holds for the signed-in trader, and the payouts on their way.',
  followingResults:
    'What following has brought the caller: closed positions, each from the price at which the caller could have bought first, beside the index.',
  switchRenewalMail: 'Turns the mail with these figures, the day before a renewal, on or off.',
  newSubscription: 'Starts the checkout of a subscription to a trader, by the month or by the year.',
  subscriptions: "The caller's subscriptions, the ended ones included.",
  subscriptionCheck: 'Whether the caller follows a trader, by username or subscription id.',
  invoices: "The caller's payments for following, the newest first, with tax and what came back.",
  openInvoice: 'The address of the page of an invoice at Stripe.',
  manageSubscription: 'The address of the billing portal, opened at one subscription.',
  endTrial: 'Ends a subscription with its trial, so that nothing is charged.',
  leaving: 'When a subscription would end if it were canceled now, and what a withdrawal would return.',
  cancelSubscription: 'Ends a subscription with the time that is paid; repeating it changes nothing.',
  keepSubscription: 'Takes back that a subscription ends; repeating it changes nothing.',
  withdraw:
    'Ends a subscription at once and returns what was paid, or the part for the days that are left, within fourteen days of its first payment.',
  switchSubscriptionMail: "Turns the mails about a trader's positions on or off.",
  agreeToPrice:
    'Agrees to the higher price that a trader proposes to the caller, or takes that back while it has not been charged.',
  switchPositionMails:
    'Turns the mails about positions of all traders on or off, of traders followed later too.',
  setUsername: 'Sets the username, once.',
  switchPublicPage:
    "Turns the page that shows the caller's record to everybody on or off; repeating it changes nothing.",
  setAbout: 'Keeps what stands about the caller on their profile, or takes it away.',
  showFollowers:
    "Shows on the caller's profile how many follow them, or stops showing it; repeating it changes nothing.",
  sessions: 'Where the caller is signed in, the last used first.',
  endSession: 'Ends a session of the caller at once; repeating it changes nothing.',
  secondStep:
    'How many recovery codes are left, and whether changing the second step of signing in takes a mailed code.',
  makeRecoveryCodes:
    'Makes ten recovery codes in the place of all earlier ones; only this answer holds them.',
  closing: 'What closing the account would end, and whether it takes a mailed code first.',
  closeAccount:
    'Closes the account: the session ends, and for fourteen days a link that is mailed gives it back.',
  requestExport:
    'Makes the address of a file of everything that is kept about the caller: it gives the file once, within an hour, and is mailed too.',
  search: 'Finds one trader by exact username, without regard to case.',
  suggestions: 'Traders whose name begins with a text or, where there are none, is one letter away from it.',
  profile: "A trader's public record.",
  closedPositions: "A trader's closed positions, a page at a time, sorted and filtered.",
  positionHistory:
    'What became of a position that the caller may see: its opening, close and settlement, and what was set right since.',
  trackRecord: "What equal stakes in a trader's positions have become, beside the index, with every close.",
  symbols: 'Tickers and company names like a text, the likeliest first.',
  preview: 'Asks for the price of a ticker, and stores it under a key that opens or closes a position.',
  openPosition: 'Opens a position at the previewed price and notifies every subscriber.',
  closePosition: 'Closes a position at the previewed price and notifies every subscriber.',
  positions: "The caller's active positions, and those of the traders whom the caller follows.",
  marks: 'What the symbols of those positions cost now, each with how sure that is; ask every 30 seconds.',
  activity:
    'What the caller and the traders whom they followed published while the caller was entitled to it, newest first, a page at a time; of one of them alone where `trader` names it.',
  unreadActivity: 'How many items of that the caller has not seen, on any device; counted up to 100.',
  markActivityRead:
    'Marks as read what a page of Activity was answered with and everything before it; repeating it changes nothing.',
  mailings: "How the mails of the caller's latest events went: how many, and how fast.",
  feed: 'What the caller and the traders whom they follow publish, as it happens; sending the id of a message as `Last-Event-ID` resumes after it.',
  feedVersion: 'Changes whenever the feed would have said something; for a page that no stream reaches.',
  leaderboard: 'Traders by average gain of their closed positions, best first.',
  offered: 'The best traders whom the caller may subscribe to, at most three.',
  proven: 'Traders by how much their positions can be expected to beat the index, as far as that is sure.',
  sendFeedback: 'Sends feedback to the operator, at most five times an hour.',
  push: "The caller's devices with notifications, the traders whose positions are pushed, and the key to subscribe with.",
  turnOnPush: 'Turns notifications on in the browser that asks, in the place of an earlier turn there.',
  turnOffPush: 'Turns notifications off on a device of the caller; repeating it changes nothing.',
  switchSubscriptionPush:
    "Turns the notifications about a trader's positions on or off; mails stay as they are.",
}
