import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PushAnswer, PushDevice } from '@tradepost/contract/push'
import { pushEndpoints } from '@tradepost/contract/push-endpoints'
import { PUSH_WAS_TURNED_OFF } from '@tradepost/contract/push-worker'
import { useEffect } from 'react'
import { call } from '../../lib/api.ts'
import { ApiRefusal } from '../../lib/api-refusal.ts'
import { dropPush } from '../../lib/drop-push.ts'
import { makeStale } from '../../lib/query-client.ts'
import { useSwitch } from '../../lib/use-switch.ts'
import { toast } from '../../ui/toast.ts'
import { keepDevice, type PushHere, readPushHere, subscribeHere } from './push-browser.ts'

/** Devices and traders: asked whenever they are shown, since a device can be turned off from its notifications. */
export const pushQuery = queryOptions({
  queryKey: ['push', 'account'],
  queryFn: ({ signal }) => call(pushEndpoints.push, undefined, signal),
  retry: false,
})

const hereQuery = queryOptions({
  queryKey: ['push', 'here'],
  queryFn: readPushHere,
  // The permission is changed in the browser's own settings, away from the page.
  refetchOnWindowFocus: 'always',
  retry: false,
})

/** The state of push in this browser, asked again once its service worker has turned notifications off. */
export function usePushHere(): PushHere | undefined {
  const client = useQueryClient()
  useEffect(() => {
    const worker = navigator.serviceWorker as ServiceWorkerContainer | undefined
    const listen = ({ data }: MessageEvent) => {
      if (data === PUSH_WAS_TURNED_OFF) void makeStale(client, ['push'])
    }
    worker?.addEventListener('message', listen)
    return () => worker?.removeEventListener('message', listen)
  }, [client])
  return useQuery(hereQuery).data
}

/** The browser holds no subscription, since its push service did not give one. */
const NO_PUSH_SERVICE = 'Your browser could not reach its push service. Please try again.'

/** Turns notifications on in this browser. @returns its mutation, and the sentence of what failed last */
export function useTurnOn(publicKey: string) {
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    async mutationFn() {
      const subscription = await subscribeHere(publicKey)
      if (subscription === null) return false
      const { token } = await call(pushEndpoints.turnOnPush, subscription).catch(async (refused: unknown) => {
        await dropPush()
        throw refused
      })
      await keepDevice({ token, publicKey })
      return true
    },
    onSuccess: (isOn) => {
      if (isOn) toast.success('Notifications are on for this device.')
    },
    onSettled: () => makeStale(client, ['push']),
  })
  const message = error instanceof ApiRefusal ? error.message : NO_PUSH_SERVICE
  return { turnOn: () => mutate(), isPending, failure: error && message }
}

/** Turns notifications off on a device; on this one the browser's subscription goes as well. @param onDone although its row has gone */
export function useTurnOff(onDone: () => void) {
  const client = useQueryClient()
  return useMutation({
    async mutationFn({ current, id }: PushDevice) {
      await call(pushEndpoints.turnOffPush, { id })
      if (current) await dropPush()
    },
    onSuccess: async (_, { current, device }) => {
      onDone()
      toast.success(current ? 'Notifications are off for this device.' : `Notifications are off: ${device}.`)
      await makeStale(client, ['push'])
    },
  })
}

/** Switches what is pushed about a trader. */
export function usePushSwitch(id: string) {
  return useSwitch<PushAnswer>({
    name: `push ${id}`,
    onFailure: (message) => toast.error(message),
    queryKey: pushQuery.queryKey,
    turn: async (enabled) => (await call(pushEndpoints.switchSubscriptionPush, { id, enabled })).pushEnabled,
    turned: (push, pushEnabled) => ({
      ...push,
      traders: push.traders.map((one) => (one.id === id ? { ...one, pushEnabled } : one)),
    }),
  })
}
