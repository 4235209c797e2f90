import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { type FixtureChart, fixtureChart } from '../../setup/charts/fixture-chart.ts';

/** Answers each request with its deployment as the API shows it; 500 if the API refuses. */
const program = `
const { readFileSync } = require('node:fs');
const text = (name) => readFileSync('/var/run/secrets/berth/' + name, 'utf8').trim();
require('node:http').createServer(async (request, response) => {
  try {
    const answer = await fetch(text('server_url') + '/api/v2/auth/me', { headers: { authorization: 'Bearer ' + text('access_token') } });
    response.writeHead(answer.ok ? 200 : 500, { 'content-type': 'application/json' }).end(await answer.text());
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}).listen(8080);
process.on('SIGTERM', () => process.exit(0));
`;

const workload = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels: { app: calling }
  template:
    metadata:
      labels: { app: calling }
    spec:
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: 5
      {{- with .Values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext: { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, seccompProfile: { type: RuntimeDefault } }
      containers:
        - name: web
          # The image that is certainly on the node.
          image: berth-tasks:0.1.0
          command: [node, --eval, ${JSON.stringify(program)}]
          readinessProbe:
            httpGet: { path: /, port: 8080 }
            timeoutSeconds: 5
            periodSeconds: 2
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          volumeMounts:
            - { name: service-creds, mountPath: /var/run/secrets/berth, readOnly: true }
      volumes:
        - name: service-creds
          secret: { secretName: service-creds }
`;

/** Long enough for a task that runs while all of Berth is replaced. */
const features = `apiVersion: berth.dev/v1beta2
kind: Features
spec:
  cardinality: Many
  wait: { enabled: true, timeout_secs: 1200 }
`;

/** The sample chart with a pod that runs code: it becomes ready once the API accepts its token. */
export const callingChart = (): Promise<FixtureChart> =>
  fixtureChart({
    name: sampleChart.name,
    base: sampleChart.folder,
    files: { 'templates/deployment.yaml': workload, 'berth/features.yaml': features },
  });
