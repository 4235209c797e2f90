import { Link } from '@tanstack/react-router';
import { searchWith } from '../../ui/page/address.ts';
import { canReach, type Chosen, type Step, steps, stepWords } from './steps.ts';

interface StepLinksProps {
  step: Step;
  chosen: Chosen;
  /** What was chosen in each step. */
  words: Partial<Record<Step, string | undefined>>;
}

/** The steps with what was chosen in each. A step is reachable once all steps before it are done. */
export function StepLinks({ step, chosen, words }: StepLinksProps) {
  return (
    <nav aria-label="Steps">
      <ol className="steps">
        {steps.map((each, index) => {
          const content = (
            <>
              <span className="step-number">{index + 1}</span>
              <span>
                {stepWords[each]}
                {words[each] !== undefined && <span className="step-chosen">{words[each]}</span>}
              </span>
            </>
          );
          return (
            <li key={each}>
              {canReach(each, chosen) ? (
                <StepLink step={each} isHere={each === step} className="step">
                  {content}
                </StepLink>
              ) : (
                <span className="step" aria-disabled="true">
                  {content}
                </span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

interface StepLinkProps {
  step: Step;
  isHere?: boolean;
  /** What is chosen by going there. */
  set?: Record<string, string | undefined>;
  className?: string;
  children: React.ReactNode;
}

/** A link to a step. Each step has an address of its own, so back and forward work. */
export function StepLink({ step, isHere = false, set = {}, className, children }: StepLinkProps) {
  return (
    <Link
      to="/deployments/new"
      search={searchWith({ ...set, step, part: undefined })}
      {...(className !== undefined && { className })}
      {...(isHere && { 'aria-current': 'step' as const })}
    >
      {children}
    </Link>
  );
}
