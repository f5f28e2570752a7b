import type { Account } from '@tradepost/contract/accounts'
import { keptText } from '@tradepost/contract/kept-text'
import { ABOUT_MAX_LENGTH, checkAbout } from '@tradepost/contract/limits'
import { type FormEvent, useId } from 'react'
import { messageOf } from '../../lib/api-refusal.ts'
import { useDraft } from '../../lib/use-draft.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { DisabledReason } from '../../ui/disabled-reason.tsx'
import { FieldError } from '../../ui/field-error.tsx'
import { Label } from '../../ui/label.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Textarea } from '../../ui/textarea.tsx'
import { ABOUT_DRAFT, UNTOUCHED_ABOUT, useFollowersSwitch, useSetAbout } from './about.api.ts'

/** Account > Profile: what stands on one's profile about oneself, and whether the number of followers does (rule G-111). */
export function AboutPart({ account }: { account: Account }) {
  return (
    <div className="space-y-4 border-t border-border pt-4">
      <AboutForm kept={account.about ?? ''} />
      <FollowersSwitch isOn={account.followersShown === true} />
    </div>
  )
}

/** @param props.kept the text as it stands on the profile */
function AboutForm({ kept }: { kept: string }) {
  const [draft, setDraft] = useDraft(ABOUT_DRAFT, UNTOUCHED_ABOUT)
  const typed = draft.isTouched ? draft.text : kept
  const saving = useSetAbout()
  const id = useId()
  const text = keptText(typed)
  const tooLong = checkAbout(typed) !== null
  const reason = tooLong
    ? `Use at most ${ABOUT_MAX_LENGTH} characters.`
    : text === kept
      ? 'Change the text first.'
      : null

  function save(event: FormEvent): void {
    event.preventDefault()
    if (reason !== null || saving.isPending) return
    saving.mutate(typed)
  }
  return (
    <form onSubmit={save} noValidate className="space-y-2">
      <Label htmlFor={id}>About you</Label>
      <Textarea
        id={id}
        name="about"
        value={typed}
        placeholder="One or two sentences on how you trade"
        className="min-h-20"
        aria-describedby={`${id}-counter ${id}-shown ${id}-error`}
        aria-invalid={tooLong || saving.isError || undefined}
        onChange={({ currentTarget: { value } }) =>
          setDraft(value === kept ? UNTOUCHED_ABOUT : { text: value, isTouched: true })
        }
      />
      <div className="flex justify-between gap-4 text-sm text-muted-foreground">
        <p id={`${id}-shown`}>It stands on your profile, for everybody who is signed in.</p>
        <p id={`${id}-counter`} className={cn('tabular-nums', tooLong && 'text-destructive')}>
          {`${text.length}/${ABOUT_MAX_LENGTH}`}
        </p>
      </div>
      <FieldError id={`${id}-error`}>{saving.isError && messageOf(saving.error)}</FieldError>
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          variant="outline"
          size="sm"
          disabled={reason !== null}
          aria-describedby={`${id}-reason`}
          loading={saving.isPending}
        >
          Save
        </Button>
        <DisabledReason id={`${id}-reason`} reason={reason} />
      </div>
    </form>
  )
}

function FollowersSwitch({ isOn }: { isOn: boolean }) {
  const { mutate } = useFollowersSwitch()
  const title = useId()
  return (
    <div className="border-t border-border pt-4">
      <div className="flex min-h-11 items-center justify-between gap-4 sm:min-h-6">
        <p id={title} className="text-sm font-medium">
          Show how many follow you
        </p>
        <Switch
          aria-labelledby={title}
          aria-describedby={`${title}-shows`}
          checked={isOn}
          onCheckedChange={(shown) => mutate(shown)}
        />
      </div>
      <p id={`${title}-shows`} className="text-sm text-muted-foreground">
        The number stands on your profile while this is on. Nobody else sees it otherwise.
      </p>
    </div>
  )
}
