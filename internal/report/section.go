package report

import (
	"strings"
)

// Heading is a Part that begins a section.
type Heading struct {
	Title string
	Lines []string // paragraphs below it
}

// Text is the title, underlined, and the paragraphs.
func (h Heading) Text() string {
	return strings.Join(append([]string{h.Title, strings.Repeat("-", len([]rune(h.Title)))}, h.Lines...), "\n") + "\n"
}

// Markdown is a heading of the second level and the paragraphs.
func (h Heading) Markdown() string {
	var b strings.Builder
	b.WriteString("## " + escapeMarkdown(h.Title) + "\n")
	for _, line := range h.Lines {
		b.WriteString("\n" + escapeMarkdown(line) + "\n")
	}
	return b.String()
}

func (h Heading) html() (pagePart, error) { return render("heading", h) }

// Facts are a Part of the few numbers that matter most, each with what to compare it to.
type Facts []Fact

// Fact is a number under a name.
type Fact struct{ Name, Value, Note string }

// Text has a line for each.
func (f Facts) Text() string {
	var b strings.Builder
	for _, x := range f {
		b.WriteString(strings.TrimRight(x.Name+": "+x.Value+"  "+x.Note, " ") + "\n")
	}
	return b.String()
}

// Markdown is a list.
func (f Facts) Markdown() string {
	var b strings.Builder
	for _, x := range f {
		b.WriteString("- **" + escapeMarkdown(x.Name) + "**: " + escapeMarkdown(strings.TrimRight(x.Value+". "+x.Note, " ")) + "\n")
	}
	return b.String()
}

func (f Facts) html() (pagePart, error) { return render("facts", f) }
