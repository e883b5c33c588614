package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/internal/sanitize"
	"github.com/ehgnn/ehgnn/internal/version"
)

// newMan prints the man page for releases. It is a hidden command.
func newMan(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "man",
		Short:  "Print the man page",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sanitize.Write(a.Stdout, func(w io.Writer) error {
				_, err := io.WriteString(w, manPage(cmd.Root()))
				return err
			})
		},
	}
}

// manPage is the man page of the program with all of its commands, for groff.
func manPage(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH EHGNN 1 \"\" \"ehgnn %s\" \"User Commands\"\n.SH NAME\nehgnn \\- %s\n", manText(version.Release()), manText(strings.ToLower(root.Short[:1])+root.Short[1:]))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B ehgnn\n.I command\n[flags]\n.SH DESCRIPTION\n%s.SH COMMANDS\n", manBlock(root.Long))
	manCommands(&b, root)
	fmt.Fprintf(&b, ".SH FLAGS OF ALL COMMANDS\n")
	manFlags(&b, root.PersistentFlags())
	return b.String()
}

func manCommands(b *strings.Builder, of *cobra.Command) {
	for _, c := range of.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		fmt.Fprintf(b, ".SS %s\n%s", manText(c.CommandPath()), manBlock(c.Short+"."))
		fmt.Fprintf(b, ".PP\nUsage:\n.B %s\n", manText(c.UseLine()))
		if c.Long != "" && c.Parent() != nil && c.Parent().Name() != "completion" {
			fmt.Fprintf(b, ".PP\n%s", manBlock(c.Long))
		}
		manFlags(b, c.LocalNonPersistentFlags())
		if c.Example != "" {
			fmt.Fprintf(b, ".PP\nExamples:\n%s", manBlock(c.Example))
		}
		manCommands(b, c)
	}
}

func manFlags(b *strings.Builder, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name, text := pflag.UnquoteUsage(f)
		fmt.Fprintf(b, ".TP\n.B \\-\\-%s %s\n%s\n", manText(f.Name), manText(name), manLine(text))
	})
}

// manBlock is a text with unchanged lines.
func manBlock(text string) string {
	var b strings.Builder
	b.WriteString(".nf\n")
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(manLine(line) + "\n")
	}
	return b.String() + ".fi\n"
}

// manLine is a line of text in which a leading dot or quote is escaped.
func manLine(line string) string {
	if text := manText(line); strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return "\\&" + text
	}
	return manText(line)
}

func manText(text string) string { return strings.NewReplacer("\\", "\\e", "-", "\\-").Replace(text) }
