import { webPaths } from '@tradepost/contract/web-paths'
import { Link } from '../lib/router.tsx'
import { buttonLook } from '../ui/button.tsx'

/** A path that does not exist (rule G-02). */
export function NotFoundScreen() {
  return (
    <div className="flex flex-col items-center gap-3 py-[14vh] text-center">
      <meta name="robots" content="noindex" />
      <h1 className="text-2xl font-semibold tracking-tight">There is nothing here</h1>
      <p className="text-muted-foreground">The address may be mistyped, or the page has moved.</p>
      <Link to={webPaths.home} {...buttonLook({ variant: 'outline', className: 'mt-3' })}>
        Go to the home page
      </Link>
    </div>
  )
}
