import { Link } from '@tanstack/react-router';
import { Empty } from '../ui/reading/problem.tsx';

interface FirstStepsProps {
  hasEnv: boolean;
  hasKind: boolean;
  mayMakeEnv: boolean;
  mayDeploy: boolean;
}

/** The next step on a platform, or for a person, without deployments. */
export function FirstSteps({ hasEnv, hasKind, mayMakeEnv, mayDeploy }: FirstStepsProps) {
  return (
    <div className="panel section">
      <Step hasEnv={hasEnv} hasKind={hasKind} mayMakeEnv={mayMakeEnv} mayDeploy={mayDeploy} />
    </div>
  );
}

function Step({ hasEnv, hasKind, mayMakeEnv, mayDeploy }: FirstStepsProps) {
  if (!hasEnv && mayMakeEnv) {
    return (
      <Empty title="There is no env yet">
        <p>Deployments live on the clusters of an env, such as prod. Make the first one, then give it a cluster.</p>
        <Link className="button primary" to="/envs">
          Go to envs
        </Link>
      </Empty>
    );
  }
  if (!hasEnv) {
    return (
      <Empty title="You are in no env yet">
        <p>Ask an admin of an env to add you to it. What is in it then appears here by itself.</p>
      </Empty>
    );
  }
  if (!hasKind) {
    return (
      <Empty title="There are no charts yet">
        <p>Push a chart to a registry that Berth scans. It appears among the charts seconds later:</p>
        <pre>helm push my-chart-1.0.0.tgz oci://registry.example.com/charts</pre>
        <Link className="button" to="/charts">
          Go to charts
        </Link>
      </Empty>
    );
  }
  return mayDeploy ? (
    <Empty title="There are no deployments yet">
      <p>A deployment is a chart, with its inputs, on a cluster of an env.</p>
      <Link className="button primary" to="/deployments/new">
        New deployment
      </Link>
    </Empty>
  ) : (
    <Empty title="There are no deployments yet">
      <p>Whoever owns a kind of deployments can create one. Ask an admin of your env for that role.</p>
    </Empty>
  );
}
