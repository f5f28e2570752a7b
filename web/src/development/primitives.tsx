import { ButtonsSample } from './buttons-sample.tsx'
import { ColoursSample } from './colours-sample.tsx'
import { FieldsSample } from './fields-sample.tsx'
import { StatesSample } from './states-sample.tsx'
import { WindowsSample } from './windows-sample.tsx'

export function Primitives() {
  return (
    <div className="mt-8 space-y-14">
      <ColoursSample />
      <ButtonsSample />
      <FieldsSample />
      <WindowsSample />
      <StatesSample />
    </div>
  )
}
