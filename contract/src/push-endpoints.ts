import type { Endpoint } from './endpoint.ts'
import {
  pushAnswer,
  pushDeviceAnswer,
  pushDeviceParams,
  pushRemovalAnswer,
  pushSubscription,
  pushSwitchAnswer,
  pushSwitchPayload,
} from './push.ts'
import { subscriptionParams } from './subscriptions.ts'

/** Calls about notifications that are pushed to devices. */
export const pushEndpoints = {
  push: {
    method: 'GET',
    path: '/v1/push',
    answer: pushAnswer,
  },
  turnOnPush: {
    method: 'POST',
    path: '/v1/push/devices',
    body: pushSubscription,
    status: 201,
    answer: pushDeviceAnswer,
  },
  turnOffPush: {
    method: 'POST',
    path: '/v1/push/devices/:id/remove',
    params: pushDeviceParams,
    answer: pushRemovalAnswer,
  },
  switchSubscriptionPush: {
    method: 'POST',
    path: '/v1/subscriptions/:id/push',
    params: subscriptionParams,
    body: pushSwitchPayload,
    answer: pushSwitchAnswer,
  },
} as const satisfies Record<string, Endpoint>
