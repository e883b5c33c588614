package explain

import (
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Tests have small heaps, and collecting them often would take a fifth of the time. So garbage is collected less often.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// quick returns settings with which a run takes almost no time.
func quick() settings.Values {
	return settings.Values{"epochs": 2, "hidden": 16, "constant-lr": true}
}

// mustOpen is session.Open for a request that must succeed.
func mustOpen(t *testing.T, r session.Request) *session.Session {
	t.Helper()
	s, err := session.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// trained returns a finished run.
func trained(t *testing.T, r session.Request) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	if _, err := mustOpen(t, r).Train(t.Context(), session.TrainOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return dir
}
