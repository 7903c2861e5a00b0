"""What trials and models have to say: values computed first, figures drawn from them after."""
