import { SERVICE_WORKER_PATH } from '@tradepost/contract/push-worker'

/**
 * Has the browser run the product's service worker beside its pages: the same however often.
 * @throws where the browser has none, or forbids it
 */
export async function registerServiceWorker(): Promise<void> {
  await navigator.serviceWorker.register(workerAddress(), { updateViaCache: 'none' })
}

type ScriptPolicy = { createScriptURL(text: string): string }
type PolicyFactory = {
  createPolicy(name: string, rules: { createScriptURL(text: string): string }): ScriptPolicy
}
let policy: ScriptPolicy | undefined

/** The page's content policy has the address of a script come from this policy alone, which knows one. */
function workerAddress(): string {
  const { trustedTypes } = window as Window & { trustedTypes?: PolicyFactory }
  policy ??= trustedTypes?.createPolicy('service-worker', { createScriptURL: () => SERVICE_WORKER_PATH })
  return policy?.createScriptURL(SERVICE_WORKER_PATH) ?? SERVICE_WORKER_PATH
}
