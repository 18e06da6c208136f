{{- define "dbdepot.labels" -}}
app.kubernetes.io/name: dbdepot
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "dbdepot.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "dbdepot.settings" -}}
envFrom:
  - secretRef:
      name: {{ .Values.existingSecret }}
env:
  - name: DBDEPOT_MIGRATE
    value: never
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
  {{- if .Values.signingKeys.existingSecret }}
  - name: DBDEPOT_SIGNING_KEYS_DIR
    value: /etc/dbdepot/signing-keys
  {{- end }}
  {{- if .Values.freshnessKeys.existingSecret }}
  - name: DBDEPOT_FRESHNESS_KEYS_DIR
    value: /etc/dbdepot/freshness-keys
  {{- end }}
  {{- if .Values.secretsKey.existingSecret }}
  - name: DBDEPOT_SECRETS_KEY_FILE
    value: /etc/dbdepot/secrets-key/secrets.key
  {{- end }}
{{- end }}

{{- define "dbdepot.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 0
fsGroup: 0
seccompProfile:
  type: RuntimeDefault
{{- end }}
