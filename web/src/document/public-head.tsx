import type { HeadPlaces } from '@tradepost/contract/drawings'
import type { PublicRecord } from '@tradepost/contract/public-record'
import { descriptionOf, titleOf } from './public-words.ts'

/** The words of a public page for previews and search engines; a profile's document has them too. */
export function PublicHead({ of, address, picture, isPage }: HeadPlaces & { of: PublicRecord }) {
  const title = titleOf(of)
  const description = descriptionOf(of)
  return (
    <>
      <title>{`${title} · Tradepost`}</title>
      <meta name="description" content={description} />
      {isPage && <link rel="canonical" href={address} />}
      <meta property="og:type" content="profile" />
      <meta property="og:site_name" content="Tradepost" />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={address} />
      <meta property="og:image" content={picture} />
      <meta property="og:image:type" content="image/png" />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content={title} />
      <meta property="profile:username" content={of.username} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  )
}
