import type { ReactNode } from 'react'

/** Where the steps of /login stand on the page. */
export function LoginFrame({ children }: { children: ReactNode }) {
  return <div className="mx-auto w-full max-w-sm pt-[8vh]">{children}</div>
}
