package sweep

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Config describes a sweep.
type Config struct {
	// Request is shared by all trials; its Given has none of the settings of Space.
	Request session.Request
	Space   Space
	Sampler string // one of Samplers
	Pruner  string // one of Pruners
	Trials  int    // at least 1
}

// Validate checks what can be checked without data.
func (c Config) Validate() error {
	if c.Trials < 1 || c.Trials > mostTrials {
		return settings.Misuse("sweep: --trials is %d, expected 1 to %d", c.Trials, mostTrials)
	}
	for _, of := range []struct {
		flag, value string
		allowed     []string
	}{{"sampler", c.Sampler, Samplers()}, {"pruner", c.Pruner, Pruners()}} {
		if !slices.Contains(of.allowed, of.value) {
			return settings.Misuse("sweep: --%s is %q, expected one of %q", of.flag, of.value, of.allowed)
		}
	}
	for _, d := range c.Space {
		if _, given := c.Request.Given[d.Option]; given {
			return settings.Misuse("sweep: %s is both searched and given; leave out --%[1]s or --space %[1]s", d.Option)
		}
		if d.Option == "epochs" && c.Pruner != PrunerNone {
			return settings.Misuse("sweep: --space epochs needs --pruner none, because pruners compare trials at the same epochs of schedules of the same length")
		}
	}
	return nil
}

// mostTrials is how many trials there may be, so that the names of their folders sort.
const mostTrials = 10000

// plan is the form of a Config in the journal, in the attribute planAttr of the study.
type plan struct {
	Data     string          `json:"data"` // path; the data may move
	Checksum string          `json:"checksum"`
	Task     string          `json:"task"`
	Model    string          `json:"model"`
	Seed     uint64          `json:"seed"`
	Space    []string        `json:"space"`
	Sampler  string          `json:"sampler"`
	Pruner   string          `json:"pruner"`
	Settings json.RawMessage `json:"settings"` // the given settings
	Trials   int             `json:"trials"`
}

const planAttr = "ehgnn.sweep"

// plan returns the plan of a sweep whose data were read.
func (c Config) plan(s *session.Session) (plan, error) {
	path, err := filepath.Abs(c.Request.Path)
	if err != nil {
		return plan{}, fmt.Errorf("sweep: %w", err)
	}
	given, err := json.Marshal(c.Request.Given.Over(nil)) // {} for none
	return plan{Data: path, Checksum: s.Data.Checksum(), Task: s.Settings.Task, Model: s.Settings.ModelName, Seed: c.Request.Seed,
		Space: c.Space.texts(), Sampler: c.Sampler, Pruner: c.Pruner, Settings: given, Trials: c.Trials}, err
}

// config returns the Config of a plan.
func (p plan) config() (c Config, err error) {
	if c.Space, err = ParseSpace(p.Space); err != nil {
		return c, err
	}
	c.Sampler, c.Pruner, c.Trials = p.Sampler, p.Pruner, p.Trials
	c.Request = session.Request{Path: p.Data, Task: p.Task, Model: p.Model, Seed: p.Seed}
	c.Request.Given, err = settings.DecodeValues(p.Settings)
	return c, err
}

// same returns an error if a sweep is resumed with other settings. The data may have moved, and
// there may be more trials.
func (p plan) same(now plan, dir string) error {
	var differ []string
	compare := func(what string, was, is any) {
		a, _ := json.Marshal(was) // plain data
		b, _ := json.Marshal(is)
		if string(a) != string(b) {
			differ = append(differ, fmt.Sprintf("%s was %s and is %s now", what, a, b))
		}
	}
	compare("checksum of the data", p.Checksum, now.Checksum)
	compare("task", p.Task, now.Task)
	compare("model", p.Model, now.Model)
	compare("seed", p.Seed, now.Seed)
	compare("space", p.Space, now.Space)
	compare("sampler", p.Sampler, now.Sampler)
	compare("pruner", p.Pruner, now.Pruner)
	compare("settings", p.Settings, now.Settings)
	if differ != nil {
		return settings.Misuse("sweep: %s was begun with other settings: %s; repeat them to continue it, or choose another folder", dir, strings.Join(differ, ", "))
	}
	if now.Trials < p.Trials {
		return settings.Misuse("sweep: %s was begun with %d trials, and --trials is %d; expected at least as many", dir, p.Trials, now.Trials)
	}
	return nil
}
