package review

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/ehgnn/ehgnn/internal/task"
)

// cardStart is the start of a card. The comment distinguishes a card of this program from a
// README.md written by a person.
const cardStart = "---\n# Written by ehgnn report.\n"

func startsCard(text string) bool { return strings.HasPrefix(text, cardStart) }

// card is the model card: metadata that model hubs read, measured facts, and the author's statement
// about purpose and limits.
func (r *Review) card() string {
	var b strings.Builder
	b.WriteString(cardStart)
	b.WriteString(r.metadata())
	fmt.Fprintf(&b, "---\n\n# %s\n\n%s\n", markdown(r.title()), markdown(strings.Join(r.lead(), "\n")))
	if len(r.scores) > 0 {
		b.WriteString("\n## Scores\n\n| score | test | 95 % interval | baseline |\n| --- | ---: | ---: | ---: |\n")
		for _, s := range r.scores {
			if r.averaged(s.name) {
				continue
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", task.ScoreTitle(s.name), number(s.test), s.interval(), number(s.usual))
		}
		if r.intervals != "" {
			b.WriteString("\n" + r.intervals + "\n")
		}
	}
	b.WriteString("\n## Purpose and limits\n\n")
	if r.Purpose == "" {
		b.WriteString("Not stated.\n")
	} else {
		b.WriteString(strings.TrimSpace(r.Purpose) + "\n")
	}
	b.WriteString("\n## Use\n\n```sh\nehgnn predict RUN DATA\n```\n\nRUN is this folder. `input_example.json` has an example of input and output; `report.html` has the full report.\n")
	fmt.Fprintf(&b, "\n## Training\n\nData %s, checksum `%s`; seed %d, %d epochs, ehgnn %s.\n", markdown(r.settings.Data.Name), r.environment.DataChecksum, r.environment.Seed, r.environment.Result.Epochs, r.environment.Version.Version)
	return b.String()
}

// metadata is the head of the card, in YAML with JSON strings.
func (r *Review) metadata() string {
	var b strings.Builder
	fmt.Fprintf(&b, "library_name: ehgnn\npipeline_tag: graph-ml\ntags: [%s, %s]\n", quoted(r.settings.Task), quoted(r.settings.ModelName))
	var metrics strings.Builder
	for _, s := range r.scores {
		if s.name != "loss" && !math.IsNaN(s.test) {
			value, _ := json.Marshal(s.test) // the number is finite
			fmt.Fprintf(&metrics, "    - type: %s\n      name: %s\n      value: %s\n", quoted(s.name), quoted("test "+task.ScoreTitle(s.name)), value)
		}
	}
	if metrics.Len() > 0 {
		data := quoted(r.settings.Data.Name)
		fmt.Fprintf(&b, "model-index:\n- name: %s\n  results:\n  - task:\n      type: graph-ml\n      name: %s\n    dataset:\n      type: %s\n      name: %s\n    metrics:\n%s",
			quoted(r.title()), quoted(r.settings.Task), data, data, metrics.String())
	}
	return b.String()
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // strings can always be encoded
	return string(text)
}

// markdown escapes a text of the data, so that it is shown unchanged.
func markdown(s string) string {
	return strings.NewReplacer("<", "&lt;", "`", "'", "|", `\|`, "*", `\*`, "[", `\[`, "_", `\_`).Replace(s)
}
