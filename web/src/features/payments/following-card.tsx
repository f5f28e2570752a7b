import type { TraderProfile } from '@tradepost/contract/traders'
import { webPaths } from '@tradepost/contract/web-paths'
import type { ReactNode } from 'react'
import { Link } from '../../lib/router.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { Card, CardContent, CardHeader, CardTitle } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Promises } from './promises.tsx'

type FollowingCardProps = {
  /** The id of its text, for the element that the text explains. */
  id: string
  username: string
  profile: Pick<TraderProfile, 'isSelf' | 'isSubscribed' | 'canSubscribe' | 'openPositions'>
}

/** Beside a trader's record: what following them gives, has given already, or why nobody can begin to (rule G-27). */
export function FollowingCard({ id, username, profile }: FollowingCardProps) {
  const { title, content } = cardOf(username, profile)
  return (
    <Card>
      <CardHeader>
        <CardTitle className="wrap-anywhere">{title}</CardTitle>
      </CardHeader>
      <CardContent id={id} className="text-sm wrap-anywhere">
        {content}
      </CardContent>
      {profile.isSubscribed && profile.openPositions > 0 && (
        <CardContent>
          <Link
            to={webPaths.followedPositionsOf(username)}
            {...buttonLook({ variant: 'outline', size: 'sm' })}
          >
            {`See the ${profile.openPositions} open now`}
          </Link>
        </CardContent>
      )}
    </Card>
  )
}

function cardOf(
  username: string,
  { isSelf, isSubscribed, canSubscribe, openPositions }: FollowingCardProps['profile'],
): { title: string; content: ReactNode } {
  if (isSelf) {
    const content = 'Your closed positions and their average. What is open, only your subscribers see.'
    return { title: 'What everyone sees', content }
  }
  if (isSubscribed) {
    const content =
      'The positions are on your home page, and each open and close comes by mail unless you have switched that off.'
    return { title: `You follow @${username}`, content }
  }
  if (canSubscribe) {
    const content = (
      <div className="space-y-3">
        {openPositions > 0 && <p className="font-medium">{`${openPositions} open now`}</p>}
        <Promises username={username} />
      </div>
    )
    return { title: 'What subscribers get', content }
  }
  const content = `@${username} takes no new subscribers at the moment. What is open, only subscribers see.`
  return { title: 'No new subscribers', content }
}

/** The card while the profile loads. */
export function FollowingSkeleton() {
  return (
    <div aria-hidden="true">
      <Skeleton className="h-44 rounded-xl" />
    </div>
  )
}
