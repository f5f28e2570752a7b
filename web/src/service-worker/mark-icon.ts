type Marking = Pick<ServiceWorkerGlobalScope, 'clients' | 'navigator'>

/** The icon of the installed app says that there is news. An open page says how many, and counts itself. */
export async function markIcon({ clients, navigator }: Marking): Promise<void> {
  if (!('setAppBadge' in navigator)) return
  const pages = await clients.matchAll({ type: 'window' })
  if (pages.length === 0) await navigator.setAppBadge().catch(() => undefined)
}
