package review

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
)

// The command of explanations names the folder that the training wrote, where a shell takes its name as it stands.
func TestFolder(t *testing.T) {
	for command, want := range map[string]string{
		"ehgnn train payments --out runs/payments":       "runs/payments",
		"ehgnn train payments --out=runs/a.b --epochs 3": "runs/a.b",
		"ehgnn train payments --out 'runs/a b'":          "",
		"ehgnn train payments --out '$(reboot)'":         "",
		"ehgnn train payments":                           "",
	} {
		r := Review{environment: &session.Environment{Command: command}}
		if got := r.folder(); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
