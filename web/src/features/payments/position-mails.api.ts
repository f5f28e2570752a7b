import { paymentEndpoints } from '@tradepost/contract/payment-endpoints'
import type { SubscriptionsAnswer } from '@tradepost/contract/subscriptions'
import { call } from '../../lib/api.ts'
import { useSwitch } from '../../lib/use-switch.ts'
import { toast } from '../../ui/toast.ts'
import { subscriptionsQuery } from './payments.api.ts'

/** Turns the mails about positions of all traders on or off (rule G-120). */
export function usePositionMailsSwitch() {
  return useSwitch<SubscriptionsAnswer>({
    name: 'position mails',
    onFailure: (message) => toast.error(message),
    queryKey: subscriptionsQuery.queryKey,
    turn: async (enabled) => (await call(paymentEndpoints.switchPositionMails, { enabled })).positionMails,
    turned: (answer, positionMails) => ({ ...answer, positionMails }),
  })
}
