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
envFrom:
  - secretRef:
      name: {{ .Values.secret }}
env:
  - name: DBDEPOT_MIGRATE
    value: never
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ $value | quote }}
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
