package review

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/train"
)

// Files of a run folder.
const (
	PageFile = report.PageFile
	CardFile = "README.md"
)

// Options are the inputs of a review other than the run.
type Options struct {
	Toolkit chem.Toolkit // draws molecules; nil for none
	// Purpose is the author's statement about purpose and limits of the model, as Markdown; empty for
	// none.
	Purpose string
}

// Review is the review of a run.
type Review struct {
	Options
	dir         string
	settings    *settings.Settings
	environment *session.Environment
	history     []train.EpochInfo
	session     *session.Session
	outcome     *task.Outcome // of the test part; nil if there is none
	scores      []score
	intervals   string   // how intervals were computed, or why there are none
	contest     *contest // nil without a test set, and for several numbers
	// targetContests has a contest for each of several numbers; nil for other runs.
	targetContests []*contest
	threshold      *report.Threshold   // of two classes; nil for others
	used           *session.Importance // nil for models other than model.Auto
	lessRight      bool                // accuracy is lower than that of always predicting the most frequent class
}

// Of reviews a finished run whose data are open in a session. Data other than the training data are
// a usage error: the run has scores only for its own test part.
func Of(ctx context.Context, s *session.Session, dir string, o Options) (*Review, error) {
	if !s.Own() {
		return nil, settings.Misuse("review: %s is not what run %s was trained on, by its checksum; ehgnn evaluate scores a run on other data", s.Data.Name(), dir)
	}
	r := &Review{Options: o, dir: dir, settings: &s.Settings, session: s}
	var err error
	if r.environment, err = session.ReadEnvironment(dir); err != nil {
		return nil, err
	}
	if r.history, err = train.ReadHistory(dir); err != nil {
		return nil, err
	}
	if s.Graphs(source.PartTest) != nil {
		if r.outcome, err = s.Outcome(ctx, source.PartTest); err != nil {
			return nil, err
		}
	}
	if err := r.score(ctx); err != nil {
		return nil, err
	}
	if err := r.compareModels(ctx); err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	if r.used, err = s.Importance(ctx); err != nil {
		return nil, fmt.Errorf("review: importance: %w", err)
	}
	return r, nil
}

// compareModels compares the model with other trained models and the baselines.
func (r *Review) compareModels(ctx context.Context) error {
	if len(r.rows()) == 0 {
		return nil
	}
	for target := range max(1, len(r.outcome.Targets)) {
		of, err := r.contestants()
		if err != nil {
			return err
		}
		c, err := r.compare(ctx, of, target)
		switch {
		case err != nil:
			return err
		case r.many():
			r.targetContests = append(r.targetContests, c)
		case r.contest == nil:
			r.contest = c
		}
		if !r.many() {
			break
		}
	}
	if err := r.countRight(ctx); err != nil {
		return err
	}
	return r.chooseThreshold(ctx)
}

// Write writes report.html and README.md to the run folder. It does not replace a README.md that is
// not a card of this program.
func (r *Review) Write() (files []string, err error) {
	d, err := r.document()
	if err != nil {
		return nil, err
	}
	page, card := filepath.Join(r.dir, PageFile), filepath.Join(r.dir, CardFile)
	if err := atomicfile.Write(page, d.WriteHTML); err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	if own, err := isCard(card); err != nil || !own {
		return []string{page}, err
	}
	err = atomicfile.WriteBytes(card, []byte(r.card()))
	if err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	return []string{page, card}, nil
}

// isCard reports whether a file is a card of this program, or does not exist.
func isCard(path string) (bool, error) {
	text, err := os.ReadFile(path)
	switch {
	case os.IsNotExist(err):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("review: %w", err)
	}
	return startsCard(string(text)), nil
}

// document is the page: whether the model is good, where it is wrong, what it uses, how it was trained.
func (r *Review) document() (*report.Document, error) {
	d := &report.Document{Title: r.heading(), About: r.aboutLine()}
	for _, section := range []func() ([]report.Part, error){r.verdict, r.leaderboard, r.targets, r.thresholdSection, r.curvesSection, r.classesSection, r.labelsSection, r.numbersSection,
		r.training, r.slices, r.worst, r.importance, r.trainingSection, r.reproduce} {
		parts, err := section()
		if err != nil {
			return nil, fmt.Errorf("review: %w", err)
		}
		d.Parts = append(d.Parts, parts...)
	}
	return d, nil
}

func (r *Review) title() string {
	return r.settings.ModelName + " on " + r.settings.Data.Name
}

// lead says for the card what was trained, and the sizes of the training and test data.
func (r *Review) lead() []string {
	res := r.environment.Result
	text := fmt.Sprintf("Task %s, %d parameters, best epoch %d of %d, trained in %s.", r.settings.Task, res.Params, res.BestEpoch, res.Epochs, report.Seconds(res.Seconds))
	if r.outcome != nil {
		text += fmt.Sprintf(" Scores are those of the test set, %s; the epoch was chosen by the %s.", report.Counted(len(r.outcome.At), string(r.outcome.Level)), task.Selection(*r.settings))
	}
	return []string{text}
}
