package tablefile

func openText(f *file) (Reader, error) { return nil, f.failed("text is not read yet", nil) }
